// The surface of jx: the statements and expressions of Python 3.11. Tokens come from the hand-written token source
// (Lexer.cpp), which has already turned layout into NEWLINE, INDENT and DEDENT, joined `is not` and `not in`, and cut
// f-strings into pieces.
//
// Every decision is taken on one token (the tool then writes a plain switch instead of a prediction engine, which
// keeps start-up short), and the tree stays shallow. Two things follow, both finished in TreeBuilder:
//  - an `operation` is a flat list of operands and operators; precedence is applied when the tree is built;
//  - lists are `item (',' item?)*`, and what is optional there is refused unless it is a trailing comma; targets,
//    names of keyword arguments and the mixture of dict and set items are parsed as expressions and checked later.
parser grammar JxParser;

options {
  tokenVocab = JxTokens;
  superClass = DepthLimitedParser;
  contextSuperClass = DepthContext;
}

@parser::preinclude {
#include "compiler/syntax/DepthLimitedParser.h"
}

file : (NEWLINE | statement)* EOF ;

// Statements

statement : simpleLine | ifStmt | whileStmt | forStmt | tryStmt | withStmt | functionDef | classDef | decorated ;

simpleLine : simpleStmt (';' simpleStmt?)* NEWLINE ;

simpleStmt
  : exprStmt | returnStmt | importStmt | fromStmt | raiseStmt | assertStmt | delStmt | globalStmt | nonlocalStmt
  | 'pass' | 'break' | 'continue'
  ;

// An expression, an assignment with any number of targets, an annotated or an augmented assignment.
exprStmt : rhs (annotation ('=' rhs)? | augmented rhs | ('=' rhs)*) ;
annotation : ':' test ;
rhs : yieldExpr | testList ;
augmented : '+=' | '-=' | '*=' | '@=' | '/=' | '%=' | '&=' | '|=' | '^=' | '<<=' | '>>=' | '**=' | '//=' ;

returnStmt : 'return' testList? ;
raiseStmt : 'raise' (test ('from' test)?)? ;
assertStmt : 'assert' test (',' test)? ;
delStmt : 'del' targetList ;
globalStmt : 'global' NAME (',' NAME)* ;
nonlocalStmt : 'nonlocal' NAME (',' NAME)* ;

importStmt : 'import' dottedAlias (',' dottedAlias)* ;
dottedAlias : dottedName ('as' NAME)? ;
dottedName : NAME ('.' NAME)* ;
fromStmt : 'from' ('.' | '...')* dottedName? 'import' ('*' | '(' importNames ')' | importNames) ;
importNames : importName (',' importName?)* ;
importName : NAME ('as' NAME)? ;

block : simpleLine | NEWLINE INDENT statement+ DEDENT ;

ifStmt : 'if' namedTest ':' block elifClause* elseClause? ;
elifClause : 'elif' namedTest ':' block ;
elseClause : 'else' ':' block ;
whileStmt : 'while' namedTest ':' block elseClause? ;
forStmt : 'for' targetList 'in' testList ':' block elseClause? ;
tryStmt : 'try' ':' block (exceptClause+ elseClause? finallyClause? | finallyClause) ;
exceptClause : 'except' '*'? (test ('as' NAME)?)? ':' block ;
finallyClause : 'finally' ':' block ;
withStmt : 'with' withItem (',' withItem)* ':' block ;
withItem : test ('as' target)? ;

decorated : decorator+ (functionDef | classDef) ;
decorator : '@' namedTest NEWLINE ;
functionDef : 'def' NAME '(' parameters? ')' ('->' testList)? ':' block ;
parameters : parameter (',' parameter?)* ;
parameter : NAME (':' parameterType)? ('=' test)? | '*' (NAME (':' parameterType)?)? | '**' NAME (':' parameterType)? | '/' ;
parameterType : test | '*' operation ;
classDef : 'class' NAME ('(' arguments? ')')? ':' block ;

// Expressions

// One or more elements with commas; a comma anywhere makes a tuple.
testList : starTest (',' starTest?)* ;
starTest : '*' operation | namedTest ;
namedTest : test (':=' test)? ;
test : lambdaExpr | operation ('if' operation 'else' test)? ;
lambdaExpr : 'lambda' lambdaParameters? ':' test ;
lambdaParameters : lambdaParameter (',' lambdaParameter?)* ;
lambdaParameter : NAME ('=' test)? | '*' NAME? | '**' NAME | '/' ;
yieldExpr : 'yield' ('from' test | testList)? ;

operation : prefix* primary (infix prefix* primary)* ;
prefix : '-' | '+' | '~' | 'not' ;
infix
  : '+' | '-' | '*' | '/' | '//' | '%' | '@' | '**' | '<<' | '>>' | '&' | '|' | '^'
  | '<' | '>' | '<=' | '>=' | '==' | '!=' | 'in' | NOT_IN | 'is' | IS_NOT | 'and' | 'or'
  ;

// `for` needs targets without operators, or its `in` would be taken for a comparison.
targetList : target (',' target?)* ;
target : '*'? primary ;

primary : atom trailer* ;
trailer : '(' arguments? ')' | '[' subscripts ']' | '.' NAME ;
arguments : argument (',' argument?)* ;
argument : '*' test | '**' test | test (comprehension | ':=' test | '=' test)? ;
subscripts : subscript (',' subscript?)* ;
subscript : namedTest sliceEnd? | sliceEnd | '*' operation ;
sliceEnd : ':' test? (':' test?)? ;

atom
  : NAME | NUMBER | 'None' | 'True' | 'False' | '...' | strings
  | '(' (yieldExpr | groupItems)? ')' | '[' listItems? ']' | '{' braceItems? '}'
  ;
// `(a as b, c as d)` is a group only after `with`.
groupItems : groupItem (comprehension | (',' groupItem?)*) ;
groupItem : starTest ('as' target)? ;
listItems : starTest (comprehension | (',' starTest?)*) ;
braceItems : braceItem (comprehension | (',' braceItem?)*) ;
braceItem : '**' operation | starTest (':' test)? ;
comprehension : comprehensionFor+ ;
comprehensionFor : 'for' targetList 'in' operation comprehensionIf* ;
comprehensionIf : 'if' operation ;

strings : (STRING | fstring)+ ;
fstring : FSTRING_START fstringPart* FSTRING_END ;
fstringPart : FSTRING_MIDDLE | field ;
field : FIELD_OPEN rhs FIELD_EQUAL? (FIELD_CONVERSION NAME)? fieldSpec? FIELD_CLOSE ;
fieldSpec : FIELD_COLON fstringPart* ;
