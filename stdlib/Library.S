// The packed standard library as read-only data; JX_STDLIB_PACK is the path that the build passes.
    .section .rodata.jxstdlib, "a"
    .global jxStdlibBegin
    .global jxStdlibEnd
    .balign 16
jxStdlibBegin:
    .incbin JX_STDLIB_PACK
jxStdlibEnd:
    .byte 0
    .section .note.GNU-stack, "", @progbits
