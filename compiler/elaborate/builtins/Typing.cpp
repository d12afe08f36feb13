// The module typing: names for annotations, which are never evaluated but may be imported, subscripted and
// assigned.
#include "compiler/elaborate/Evaluator.h"
#include "compiler/elaborate/Registry.h"

namespace jx::elab {

void registerTyping(Registry &r) {
  for (const char *name : {"NamedTuple", "TypedDict", "Generic", "Protocol"})
    r.constant("typing", name, [name](Evaluator &ev) -> Value { return ev.builtinClass(name); });
  for (const char *name : {"Any",       "Optional",   "Union",          "Callable",    "Sequence", "Iterable",
                           "Iterator",  "Mapping",    "MutableMapping", "Tuple",       "List",     "Dict",
                           "Set",       "FrozenSet",  "Type",           "Literal",     "ClassVar", "Final",
                           "Annotated", "Hashable",   "Generator",      "Concatenate", "Self",     "NoReturn",
                           "Never",     "Collection", "Iterable",       "Text",        "TypeAlias"})
    r.function("typing", name, [name](Evaluator &ev, CallArgs &) -> Value {
      return ev.typeError("typing." + std::string(name) + " is for annotations and cannot be called");
    });
  for (const char *name : {"TypeVar", "ParamSpec", "NewType"})
    r.function("typing", name, [](Evaluator &ev, CallArgs &args) -> Value {
      return args.positional.empty() ? Value(ev.typeError("a name is expected")) : args.positional[0];
    });
  r.function("typing", "cast", [](Evaluator &ev, CallArgs &args) -> Value {
    return args.positional.size() == 2 ? args.positional[1]
                                       : Value(ev.typeError("cast expected 2 arguments"));
  });
  for (const char *name : {"overload", "runtime_checkable", "final", "no_type_check", "override"})
    r.function("typing", name, [](Evaluator &ev, CallArgs &args) -> Value {
      return args.positional.size() == 1 ? args.positional[0]
                                         : Value(ev.typeError("one argument is expected"));
    });
  r.constant("typing", "TYPE_CHECKING", [](Evaluator &) { return Value::boolean(false); });
}

} // namespace jx::elab
