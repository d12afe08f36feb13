// jx._intrinsics: print, check, load, save, clock, barrier, print options and configuration flags.
#include "compiler/elaborate/Files.h"
#include "compiler/elaborate/Output.h"
#include "compiler/elaborate/Registry.h"
#include "compiler/elaborate/Tracing.h"
#include "compiler/ops/effect/RuntimeValues.h"
#include "jxrt/Context.h"
#include "jxrt/Io.h"
#include <fstream>

namespace jx::elab {

namespace {

constexpr llvm::StringLiteral module = "jx._intrinsics";

mlir::Type dtypeOfRuntime(mlir::MLIRContext *context, int32_t dtype) {
  return dtypeByName(context, jxrt_dtype_name(dtype));
}

Status mustBePath(Evaluator &ev, Value path) {
  if (path.isAny(Kind::Str, Kind::Text)) return Status::success();
  return ev.typeError("expected str, bytes or os.PathLike object, not " + ev.typeName(path));
}

// A file to read is not there. Under a run-time condition, such as os.path.exists, that is an error of the
// program which gets here.
Failed missingFile(Evaluator &ev, Value path, const std::string &message) {
  Diagnostic diagnostic(DiagKind::MissingFile, ev.userHere(), message);
  if (path.is(Kind::Text)) {
    std::string options;
    for (Symbol source : path.asText().sources)
      options += (options.empty() ? "`--" : ", `--") + ev.symbolInfo(source).name + "`";
    if (!options.empty())
      diagnostic.withHint("the path is made from " + options +
                          "; the header of the file is read when the program is compiled: give the value to "
                          "compile with");
  }
  bool conditional = !ev.builder.getInsertionBlock()->getParentOp();
  (void)ev.fail(std::move(diagnostic), message + (conditional ? ", when this program was compiled" : ""));
  ev.pending().fromRaise = true;
  return {};
}

// What the program itself has written to the path; null where the file on disk counts.
const SavedFile *writtenBefore(Evaluator &ev, const std::string &path) {
  auto found = ev.savedFiles.find(path);
  return found == ev.savedFiles.end() ? nullptr : &found->second;
}

void noteSaved(Evaluator &ev, Value path, llvm::StringRef ending, llvm::ArrayRef<mlir::Attribute> names,
               mlir::ValueRange arrays) {
  std::string file = shownNow(ev, path);
  if (file.empty()) return; // the path depends on more than options
  if (!llvm::StringRef(file).ends_with(ending)) file += ending;
  SavedFile saved;
  saved.isArchive = ending == ".npz";
  for (auto [i, array] : llvm::enumerate(arrays))
    saved.arrays[saved.isArchive ? llvm::cast<mlir::StringAttr>(names[i]).str() : ""] =
        llvm::cast<mlir::RankedTensorType>(array.getType());
  ev.savedFiles[file] = std::move(saved);
}

// The type that the array of a file on disk has; null after a failure.
mlir::RankedTensorType typeOnDisk(Evaluator &ev, Value path, const std::string &file, int32_t format,
                                  const std::string &member) {
  jxrt_file_header header = {};
  jxrt_context *context = jxrt_context_create(nullptr);
  std::string cls, message;
  if (jxrt_read_header(context, file.c_str(), format, member.empty() ? nullptr : member.c_str(), &header,
                       "")) {
    const jxrt_error *error = jxrt_pending_error(context);
    cls = error && error->class_name ? error->class_name : "ValueError";
    message = error && error->message ? error->message : "the file cannot be read";
  }
  jxrt_context_destroy(context);
  if (cls == "FileNotFoundError")
    (void)missingFile(ev, path, message);
  else if (cls == "KeyError")
    (void)ev.raise(cls, message);
  else if (!cls.empty())
    (void)ev.fail(DiagKind::BadDataFile, message);
  if (!cls.empty()) return {};
  return mlir::RankedTensorType::get(llvm::ArrayRef<int64_t>(header.shape, header.rank),
                                     dtypeOfRuntime(&ev.context, header.dtype));
}

// Where a handler waits for it, a file that is gone when the program runs is an exception like others.
Status checkIsThere(Evaluator &ev, Value path) {
  Object *cls = ev.builtinClass("FileNotFoundError");
  if (ev.whoCatches(cls) != Evaluator::Catcher::Here) return Status::success();
  JX_TRY(there, fileExists(ev, path, "file"));
  JX_TRY(shown, ev.repr(path));
  JX_TRY(message, ev.concatText({ev.arena.str("[Errno 2] No such file or directory: "), shown}));
  return ev.emitCheck(there, "FileNotFoundError", message);
}

Value load(Evaluator &ev, CallArgs &args) {
  Value v[4];
  JX_CHECK(ev.bindNative(args, "load", {"path", "format", "member", "cast"}, 3, v));
  JX_CHECK(mustBePath(ev, v[0]));
  JX_TRY(path, textNow(ev, v[0], "the path of a file to load"));
  llvm::StringRef format = v[1].asStr();
  std::string file = path.asStr().str(), member = v[2].is(Kind::Str) ? v[2].asStr().str() : "";
  mlir::RankedTensorType type;
  const SavedFile *own = writtenBefore(ev, file);
  if (own && own->isArchive == (format == "npz") && own->arrays.contains(member))
    type = own->arrays.at(member);
  else
    type = typeOnDisk(ev, v[0], file, fileFormat(format), member);
  if (!type || !checkIsThere(ev, v[0])) return Failed();
  std::string program;
  llvm::SmallVector<mlir::Value> operands;
  JX_CHECK(lowerText(ev, v[0], program, operands));
  mlir::Builder &b = ev.builder;
  mlir::Value array = ev.emit1("jx.load", operands,
                               {b.getNamedAttr("path", b.getStringAttr(program)),
                                b.getNamedAttr("file_format", b.getStringAttr(format)),
                                b.getNamedAttr("member", b.getStringAttr(member)),
                                b.getNamedAttr("type", mlir::TypeAttr::get(type))});
  return array ? Value::array(array, false) : Value();
}

// The names of the arrays of an .npz file as a tuple; None for a file of another kind, which has one array.
Value fileMembers(Evaluator &ev, CallArgs &args) {
  Value v[1];
  JX_CHECK(ev.bindNative(args, "file_members", {"path"}, 1, v));
  JX_CHECK(mustBePath(ev, v[0]));
  JX_TRY(path, textNow(ev, v[0], "the path of a file to load"));
  std::string file = path.asStr().str();
  std::vector<Value> names;
  if (const SavedFile *own = writtenBefore(ev, file)) {
    if (!own->isArchive) return Value::none();
    for (auto &[name, type] : own->arrays) names.push_back(ev.arena.str(name));
    return ev.arena.tuple(std::move(names));
  }
  char magic[2] = {};
  std::ifstream(file, std::ios::binary).read(magic, 2);
  if (llvm::StringRef(magic, 2) != "PK") return Value::none();
  jxrt_context *context = jxrt_context_create(nullptr);
  char *lines = nullptr;
  std::string failure;
  if (jxrt_list_members(context, file.c_str(), &lines, "")) {
    const jxrt_error *error = jxrt_pending_error(context);
    failure = error ? error->message : "the file cannot be read";
  } else {
    llvm::SmallVector<llvm::StringRef> parts;
    llvm::StringRef(lines).split(parts, '\n', -1, /*KeepEmpty=*/false);
    for (llvm::StringRef name : parts) names.push_back(ev.arena.str(name));
    jxrt_free(context, lines);
  }
  jxrt_context_destroy(context);
  if (!failure.empty()) return ev.fail(DiagKind::BadDataFile, failure);
  return ev.arena.tuple(std::move(names));
}

Value save(Evaluator &ev, CallArgs &args) {
  Value v[4];
  JX_CHECK(ev.bindNative(args, "save", {"path", "format", "members", "arrays"}, 4, v));
  JX_CHECK(mustBePath(ev, v[0]));
  JX_TRY(members, ev.elements(v[2]));
  JX_TRY(arrays, ev.elements(v[3]));
  std::string path;
  llvm::SmallVector<mlir::Value> operands;
  JX_CHECK(lowerText(ev, v[0], path, operands));
  int32_t pathOperands = int32_t(operands.size());
  mlir::Builder &b = ev.builder;
  llvm::SmallVector<mlir::Attribute> names;
  for (Value member : *members) names.push_back(b.getStringAttr(member.asStr()));
  for (Value array : *arrays) operands.push_back(array.asArray());
  llvm::StringRef format = v[1].asStr();
  bool compressed = format.consume_back("_compressed");
  noteSaved(ev, v[0], format == "npz" ? ".npz" : ".npy", names,
            mlir::ValueRange(operands).drop_front(pathOperands));
  JX_CHECK(ev.emit(
      "jx.save", operands,
      {b.getNamedAttr("path", b.getStringAttr(path)), b.getNamedAttr("file_format", b.getStringAttr(format)),
       b.getNamedAttr("members", b.getArrayAttr(names)),
       b.getNamedAttr("compressed", b.getBoolAttr(compressed)),
       b.getNamedAttr("operandSegmentSizes",
                      b.getDenseI32ArrayAttr({pathOperands, int32_t(operands.size()) - pathOperands}))}));
  return Value::none();
}

// os.path.join of two paths.
Value joinPath(Evaluator &ev, CallArgs &args) {
  Value v[2];
  JX_CHECK(ev.bindNative(args, "join_path", {"first", "second"}, 2, v));
  TextNode text;
  FormatProgram parts[2];
  for (size_t i = 0; i < 2; ++i) {
    if (!v[i].isAny(Kind::Str, Kind::Text))
      return ev.typeError("join() argument must be str, bytes, or os.PathLike object, not '" +
                          ev.typeName(v[i]) + "'");
    TextNode part;
    JX_CHECK(ev.appendText(part, v[i], Conversion::Str));
    parts[i].append(part.program, text.takeHoles(part));
  }
  text.program.pathJoin(std::move(parts[0]), std::move(parts[1]));
  if (v[0].is(Kind::Str) && v[1].is(Kind::Str)) return renderNow(ev, text.program, {});
  return ev.makeText(std::move(text));
}

Value barrier(Evaluator &ev, CallArgs &args) {
  if (args.positional.size() != 1) return ev.typeError("one argument is expected");
  Tree tree;
  std::vector<Value> leaves;
  tree = ev.tracing->trees.flatten(args.positional[0], leaves);
  if (!tree) return Failed();
  llvm::SmallVector<mlir::Value> operands;
  for (Value leaf : leaves)
    if (leaf.isArray()) operands.push_back(leaf.asArray());
  if (operands.empty()) return args.positional[0];
  mlir::Operation *op = ev.emit("jx.barrier", operands);
  if (!op) return Failed();
  size_t next = 0;
  for (Value &leaf : leaves)
    if (leaf.isArray()) leaf = Value::array(op->getResult(next++), leaf.isWeak());
  return ev.tracing->trees.unflattenAll(*tree, leaves);
}

Status setOption(Evaluator &ev, PrintOptions &options, llvm::StringRef name, Value value) {
  auto integer = [&](std::optional<int64_t> &slot) -> Status {
    if (value.isNone()) {
      slot.reset();
      return Status::success();
    }
    JX_TRY(known, ev.toStaticInt(value, "a print option"));
    slot = *known;
    return Status::success();
  };
  auto text = [&](std::optional<std::string> &slot) -> Status {
    if (value.is(Kind::Str)) slot = value.asStr().str();
    return Status::success();
  };
  if (name == "precision") return integer(options.precision);
  if (name == "linewidth") return integer(options.linewidth);
  if (name == "threshold") return integer(options.threshold);
  if (name == "edgeitems") return integer(options.edgeitems);
  if (name == "suppress") {
    options.suppress = ev.truth(value) == Truth::True;
    return Status::success();
  }
  if (name == "sign") return text(options.sign);
  if (name == "floatmode") return text(options.floatmode);
  if (name == "nanstr") return text(options.nanstr);
  if (name == "infstr") return text(options.infstr);
  if (name == "formatter" || name == "legacy") return ev.unsupported("the print option `" + name.str() + "`");
  return ev.typeError("set_printoptions() got an unexpected keyword argument '" + name.str() + "'");
}

Status setOptions(Evaluator &ev, CallArgs &args) {
  static constexpr llvm::StringLiteral order[] = {"precision", "threshold", "edgeitems", "linewidth",
                                                  "suppress"};
  PrintOptions options = ev.printOptions;
  for (auto [i, value] : llvm::enumerate(args.positional))
    if (i < std::size(order)) JX_CHECK(setOption(ev, options, order[i], value));
  for (auto &[name, value] : args.keywords) JX_CHECK(setOption(ev, options, name, value));
  ev.printOptions = options;
  return Status::success();
}

Value getOptions(Evaluator &ev) {
  const PrintOptions &o = ev.printOptions;
  Object *dict = ev.heap.dict();
  auto put = [&](const char *name, Value value) { ev.heap.put(dict, ev.arena.str(name), value); };
  put("precision", Value::integer(o.precision.value_or(8)));
  put("threshold", Value::integer(o.threshold.value_or(1000)));
  put("edgeitems", Value::integer(o.edgeitems.value_or(3)));
  put("linewidth", Value::integer(o.linewidth.value_or(75)));
  put("suppress", Value::boolean(o.suppress.value_or(false)));
  put("nanstr", ev.arena.str(o.nanstr.value_or("nan")));
  put("infstr", ev.arena.str(o.infstr.value_or("inf")));
  put("sign", ev.arena.str(o.sign.value_or("-")));
  put("floatmode", ev.arena.str(o.floatmode.value_or("maxprec")));
  return dict;
}

// Context manager over the print options.
class PrintOptionsScope : public OpaqueObject {
public:
  PrintOptionsScope(PrintOptions inside) : inside(std::move(inside)) {}
  llvm::StringRef typeName() const override { return "printoptions"; }
  Value getAttr(Evaluator &ev, Object *, llvm::StringRef name) const override {
    if (name == "__enter__")
      return ev.arena.native(name, [this](Evaluator &ev, CallArgs &) {
        outside = ev.printOptions;
        ev.printOptions = inside;
        return Value::none();
      });
    if (name == "__exit__")
      return ev.arena.native(name, [this](Evaluator &ev, CallArgs &) {
        ev.printOptions = outside;
        return Value::none();
      });
    return {};
  }

private:
  PrintOptions inside;
  mutable PrintOptions outside;
};

} // namespace

Value fileExists(Evaluator &ev, Value path, llvm::StringRef kind) {
  if (!path.isAny(Kind::Str, Kind::Text))
    return ev.typeError("stat: path should be string, bytes, os.PathLike or integer, not " +
                        ev.typeName(path));
  std::string program;
  llvm::SmallVector<mlir::Value> operands;
  JX_CHECK(lowerText(ev, path, program, operands));
  mlir::Value found = ev.emit1("jx.file_exists", operands,
                               {ev.builder.getNamedAttr("path", ev.builder.getStringAttr(program)),
                                ev.builder.getNamedAttr("kind", ev.builder.getStringAttr(kind))});
  if (!found) return Failed();
  return ev.makeHost(found, HostType::Bool, {}, {}, {ev.newSymbol({SymbolInfo::Data, "", 0, ev.userHere()})});
}

void registerEffects(Registry &r) {
  r.function(module, "print", [](Evaluator &ev, CallArgs &args) -> Value {
    Value v[2];
    JX_CHECK(ev.bindNative(args, "print", {"text", "to_stderr"}, 1, v));
    JX_TRY(text, ev.str(v[0]));
    JX_CHECK(ev.emitPrint(text, v[1] && ev.truth(v[1]) == Truth::True));
    return Value::none();
  });
  r.function(module, "check", [](Evaluator &ev, CallArgs &args) -> Value {
    Value v[3];
    JX_CHECK(ev.bindNative(args, "check", {"pred", "error", "message"}, 3, v));
    JX_TRY(text, ev.str(v[2]));
    JX_CHECK(ev.emitCheck(v[0], v[1].asStr(), text));
    return Value::none();
  });
  r.function(module, "clock", [](Evaluator &ev, CallArgs &args) -> Value {
    if (args.positional.size() != 1) return ev.typeError("one argument is expected");
    mlir::Value now =
        ev.emit1("jx.clock", {},
                 ev.builder.getNamedAttr("kind", ev.builder.getStringAttr(args.positional[0].asStr())));
    return now ? ev.makeHost(now, HostType::Float, {}, {},
                             {ev.newSymbol({SymbolInfo::Data, "", 0, ev.userHere()})})
               : Value();
  });
  r.function(module, "load", load);
  r.function(module, "save", save);
  r.function(module, "file_exists", [](Evaluator &ev, CallArgs &args) -> Value {
    Value v[2];
    JX_CHECK(ev.bindNative(args, "file_exists", {"path", "kind"}, 1, v));
    return fileExists(ev, v[0], v[1] ? v[1].asStr() : "any");
  });
  r.function(module, "file_members", fileMembers);
  r.function(module, "join_path", joinPath);
  r.function(module, "barrier", barrier);
  r.function(module, "set_printoptions", [](Evaluator &ev, CallArgs &args) -> Value {
    JX_CHECK(setOptions(ev, args));
    return Value::none();
  });
  r.function(module, "get_printoptions", [](Evaluator &ev, CallArgs &) { return getOptions(ev); });
  r.function(module, "printoptions", [](Evaluator &ev, CallArgs &args) -> Value {
    PrintOptions outside = ev.printOptions;
    JX_CHECK(setOptions(ev, args));
    std::swap(outside, ev.printOptions);
    return makeOpaque(ev, std::make_shared<PrintOptionsScope>(outside));
  });
  r.function(module, "config_update", [](Evaluator &ev, CallArgs &args) -> Value {
    if (args.positional.size() != 2 || !args.positional[0].is(Kind::Str))
      return ev.typeError("a name and a value are expected");
    JX_TRY(value, ev.toStatic(args.positional[1], "a configuration flag"));
    if (args.positional[0].asStr() == "jax_enable_x64") ev.promotion.x64 = ev.truth(value) == Truth::True;
    ev.configuration[args.positional[0].asStr().str()] = value;
    return Value::none();
  });
  r.function(module, "config_read", [](Evaluator &ev, CallArgs &args) -> Value {
    if (args.positional[0].asStr() == "jax_enable_x64") return Value::boolean(ev.promotion.x64);
    auto found = ev.configuration.find(args.positional[0].asStr().str());
    return found == ev.configuration.end() ? Value::none() : found->second;
  });
}

} // namespace jx::elab
