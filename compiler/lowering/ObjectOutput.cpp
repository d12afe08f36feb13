// Object files and executables: the units' objects, the program's data as one more object, and the linker.
#include "compiler/lowering/ControlProgram.h"
#include "compiler/lowering/Pipeline.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace jx {

/// The program's data, the size of its arena and the table of its options, as a module.
static CodeUnit dataUnit(ModuleOp module, ControlProgram &control) {
  CodeUnit unit;
  unit.context = std::make_unique<llvm::LLVMContext>();
  unit.module = std::make_unique<llvm::Module>("data", *unit.context);
  unit.tier = Tier::Cold;
  unit.name = "data";
  llvm::LLVMContext &context = *unit.context;
  auto define = [&](StringRef name, llvm::Constant *value, unsigned alignment, bool isExported = true) {
    auto linkage = isExported ? llvm::GlobalValue::ExternalLinkage : llvm::GlobalValue::PrivateLinkage;
    auto *global =
        new llvm::GlobalVariable(*unit.module, value->getType(), /*isConstant=*/true, linkage, value, name);
    global->setAlignment(llvm::Align(alignment));
    return global;
  };
  auto i64 = [&](int64_t value) { return llvm::ConstantInt::get(llvm::Type::getInt64Ty(context), value); };
  auto i32 = [&](int32_t value) { return llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), value); };
  for (const ProgramData &item : control.getData())
    define(item.symbol, llvm::ConstantDataArray::getString(context, item.bytes, /*AddNull=*/false), 64);
  define("jx_arena_bytes", i64(control.getArenaBytes()), 8);
  define("jx_arena_where", llvm::ConstantDataArray::getString(context, control.getLargestLine()), 1);

  // jxrt_option jx_options[], as runtime/include/jxrt/Options.h lays it out; jx.option_table holds what
  // `main` declares.
  auto *pointer = llvm::PointerType::get(context, 0);
  llvm::Constant *null = llvm::ConstantPointerNull::get(pointer);
  auto text = [&](DictionaryAttr option, StringRef field) -> llvm::Constant * {
    auto value = option.getAs<StringAttr>(field);
    if (!value) return null;
    return define("", llvm::ConstantDataArray::getString(context, value.getValue()), 1, /*isExported=*/false);
  };
  SmallVector<llvm::Constant *> options;
  auto table = module->getAttrOfType<ArrayAttr>("jx.option_table");
  for (Attribute attribute : table ? table.getValue() : ArrayRef<Attribute>()) {
    auto option = cast<DictionaryAttr>(attribute);
    auto kind = option.getAs<IntegerAttr>("kind");
    options.push_back(
        llvm::ConstantStruct::getAnon({text(option, "name"), text(option, "default"), text(option, "frozen"),
                                       i32(kind ? kind.getInt() : 0), i32(0)}));
  }
  define("jx_option_count", i32(options.size()), 4);
  auto *structType =
      llvm::StructType::get(context, {pointer, pointer, pointer, i32(0)->getType(), i32(0)->getType()});
  define("jx_options", llvm::ConstantArray::get(llvm::ArrayType::get(structType, options.size()), options),
         8);
  auto doc = module->getAttrOfType<StringAttr>("jx.doc");
  define("jx_program_doc", llvm::ConstantDataArray::getString(context, doc ? doc.getValue() : ""), 1);
  return unit;
}

/// Runs a tool of the system; its messages go to this process's stderr.
static llvm::Error runTool(StringRef name, ArrayRef<StringRef> arguments) {
  auto path = llvm::sys::findProgramByName(name);
  if (!path) return llvm::createStringError("cannot find the linker `" + name + "`");
  SmallVector<StringRef> all{*path};
  llvm::append_range(all, arguments);
  std::string message;
  if (int status = llvm::sys::ExecuteAndWait(*path, all, std::nullopt, {}, 0, 0, &message))
    return llvm::createStringError("`" + name + "` failed with status " + Twine(status) + " " + message);
  return llvm::Error::success();
}

namespace {
/// Temporary object files, removed at the end.
struct ObjectFiles {
  SmallVector<std::string> paths;
  ~ObjectFiles() {
    for (const std::string &path : paths) llvm::sys::fs::remove(path);
  }
  llvm::Error write(StringRef bytes) {
    SmallString<128> path;
    int descriptor;
    if (std::error_code code = llvm::sys::fs::createTemporaryFile("jx", "o", descriptor, path))
      return llvm::errorCodeToError(code);
    paths.push_back(path.str().str());
    llvm::raw_fd_ostream stream(descriptor, /*shouldClose=*/true);
    stream << bytes;
    stream.close();
    if (stream.has_error()) return llvm::errorCodeToError(stream.error());
    return llvm::Error::success();
  }
};
} // namespace

static llvm::Error writeObjects(ModuleOp module, const LoweringOptions &options, ObjectFiles &files) {
  ControlProgram control(module);
  auto objects = compileUnits(module, control, options);
  if (!objects) return objects.takeError();
  CodeUnit data = dataUnit(module, control);
  auto object = compileUnit(data);
  if (!object) return object.takeError();
  objects->push_back(std::move(*object));
  for (auto &bytes : *objects)
    if (llvm::Error error = files.write(bytes->getBuffer())) return error;
  return llvm::Error::success();
}

llvm::Error compileToObject(ModuleOp module, StringRef path, const LoweringOptions &options) {
  ObjectFiles files;
  if (llvm::Error error = writeObjects(module, options, files)) return error;
  SmallVector<StringRef> arguments{"-r", "-o", path};
  for (const std::string &file : files.paths) arguments.push_back(file);
  return runTool("ld", arguments);
}

llvm::Error compileToExecutable(ModuleOp module, StringRef path, StringRef libraryFolder,
                                const LoweringOptions &options) {
  ObjectFiles files;
  if (llvm::Error error = writeObjects(module, options, files)) return error;
  SmallVector<std::string> archives;
  for (const char *name : {"jxrt_main", "jxrt_io", "jxrt_core"}) {
    std::string archive = (libraryFolder + "/lib" + name + ".a").str();
    if (!llvm::sys::fs::exists(archive))
      return llvm::createStringError("the runtime archive " + archive + " is missing");
    archives.push_back(archive);
  }
  SmallVector<StringRef> arguments{"-o", path, "-no-pie", "-Wl,--gc-sections"};
  for (const std::string &file : files.paths) arguments.push_back(file);
  arguments.push_back("-Wl,--start-group");
  for (const std::string &archive : archives) arguments.push_back(archive);
  for (StringRef flag : {"-Wl,--end-group", "-lz", "-lpthread", "-lm", "-lstdc++"}) arguments.push_back(flag);
  return runTool("cc", arguments);
}

} // namespace jx
