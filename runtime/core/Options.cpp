// The command line of a program: the parameters of its `main` as --name value pairs, as argparse reads them.
#include "jxrt/Options.h"
#include "ContextImpl.h"
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace jxrt {
namespace {

const char *kindName(int32_t kind) {
  switch (kind) {
  case JXRT_OPTION_INT:
    return "an int";
  case JXRT_OPTION_FLOAT:
    return "a float";
  case JXRT_OPTION_BOOL:
    return "true or false";
  default:
    return "a string";
  }
}

// `batch_size` is typed --batch-size; both spellings are read.
std::string flagName(std::string_view name) {
  std::string out(name);
  for (char &c : out)
    if (c == '_') c = '-';
  return out;
}

bool parseValue(int32_t kind, const std::string &text, OptionValue &out) {
  out.text = text;
  const char *begin = text.data(), *end = begin + text.size();
  switch (kind) {
  case JXRT_OPTION_INT: {
    if (begin < end && *begin == '+') ++begin;
    auto result = std::from_chars(begin, end, out.integer);
    return result.ec == std::errc() && result.ptr == end;
  }
  case JXRT_OPTION_FLOAT: {
    if (text.empty() || std::strchr(" \t\n", text[0]) || text.find_first_of("xX") != text.npos) return false;
    char *stop;
    out.real = std::strtod(text.c_str(), &stop);
    return *stop == '\0';
  }
  case JXRT_OPTION_BOOL: {
    bool yes = text == "true" || text == "True" || text == "1" || text == "yes";
    out.integer = yes;
    return yes || text == "false" || text == "False" || text == "0" || text == "no";
  }
  default:
    return true;
  }
}

void showHelp(jxrt_context *ctx, const char *program, const char *doc, const jxrt_option *options,
              int32_t count) {
  std::string text = std::string("usage: ") + program + (count ? " [options]\n" : "\n");
  if (doc && *doc) text += std::string("\n") + doc + "\n";
  text += "\noptions:\n";
  size_t widest = 6;
  auto head = [&](const jxrt_option &option) {
    return "--" + flagName(option.name) +
           (option.kind == JXRT_OPTION_BOOL    ? ""
            : option.kind == JXRT_OPTION_INT   ? " INT"
            : option.kind == JXRT_OPTION_FLOAT ? " FLOAT"
                                               : " TEXT");
  };
  for (int32_t i = 0; i < count; ++i) widest = std::max(widest, head(options[i]).size());
  auto row = [&](std::string left, const std::string &right) {
    left.resize(widest, ' ');
    text += "  " + left + "  " + right + "\n";
  };
  row("--help", "show this text");
  for (int32_t i = 0; i < count; ++i) {
    const jxrt_option &option = options[i];
    if (option.frozen_text)
      row(head(option), std::string("fixed when this program was built: ") + option.frozen_text);
    else
      row(head(option), option.default_text ? std::string("default ") + option.default_text : "required");
  }
  jxrt_write(ctx, 1, text.data(), static_cast<int64_t>(text.size()));
  jxrt_flush(ctx);
}

int32_t wrong(jxrt_context *ctx, const std::string &message) {
  jxrt_fail(ctx, "SystemExit", message.c_str(), nullptr);
  return JXRT_PARSE_ERROR;
}

} // namespace
} // namespace jxrt

int32_t jxrt_options_parse(jxrt_context *ctx, const char *programName, const char *doc,
                           const jxrt_option *options, int32_t count, int32_t argc, const char *const *argv) {
  using namespace jxrt;
  std::vector<OptionValue> &values = ctx->impl->options;
  values.assign(count, {});
  std::vector<bool> given(count, false);
  for (int32_t i = 0; i < count; ++i) {
    values[i].name = options[i].name;
    const char *text = options[i].frozen_text ? options[i].frozen_text : options[i].default_text;
    if (text && !parseValue(options[i].kind, text, values[i]))
      return wrong(ctx,
                   "the default of --" + flagName(options[i].name) + " is not " + kindName(options[i].kind));
  }
  for (int32_t at = 1; at < argc; ++at) {
    std::string argument = argv[at];
    if (argument == "--help" || argument == "-h") {
      showHelp(ctx, programName, doc, options, count);
      return JXRT_HELP_SHOWN;
    }
    if (!argument.starts_with("--"))
      return wrong(ctx, "unexpected argument `" + argument + "`; options are given as --name value");
    std::string name = argument.substr(2), value;
    bool hasValue = false;
    if (size_t equals = name.find('='); equals != name.npos) {
      value = name.substr(equals + 1);
      name.resize(equals);
      hasValue = true;
    }
    name = flagName(name);
    int32_t index = -1;
    bool negated = false;
    for (int32_t i = 0; i < count; ++i) {
      std::string flag = flagName(options[i].name);
      if (flag == name) index = i, negated = false;
      if (index < 0 && options[i].kind == JXRT_OPTION_BOOL && "no-" + flag == name) index = i, negated = true;
    }
    if (index < 0) {
      std::string known;
      for (int32_t i = 0; i < count; ++i) known += (i ? ", --" : "--") + flagName(options[i].name);
      return wrong(ctx, "unknown option `--" + name + "`; this program has " +
                            (known.empty() ? "no options" : known));
    }
    const jxrt_option &option = options[index];
    if (option.kind == JXRT_OPTION_BOOL && !hasValue) {
      bool isFlag = negated || at + 1 >= argc || std::string_view(argv[at + 1]).starts_with("--");
      value = negated ? "false" : isFlag ? "true" : argv[++at];
    } else if (!hasValue) {
      if (at + 1 >= argc)
        return wrong(ctx, "option `--" + name + "` needs a value: " + kindName(option.kind));
      value = argv[++at];
    }
    OptionValue parsed;
    if (!parseValue(option.kind, value, parsed))
      return wrong(ctx, "option `--" + name + "` must be " + kindName(option.kind) + ", not `" + value + "`");
    if (option.frozen_text && (parsed.integer != values[index].integer || parsed.real != values[index].real ||
                               (option.kind == JXRT_OPTION_STRING && parsed.text != values[index].text)))
      return wrong(ctx, "option `--" + name + "` was fixed at " + option.frozen_text +
                            " when this program was built; build it again for another value");
    parsed.name = option.name;
    values[index] = parsed;
    given[index] = true;
  }
  for (int32_t i = 0; i < count; ++i)
    if (!options[i].frozen_text && !options[i].default_text && !given[i])
      return wrong(ctx,
                   "option `--" + flagName(options[i].name) + "` is required: " + kindName(options[i].kind));
  return JXRT_PARSED;
}

int32_t jxrt_option_find(const jxrt_context *ctx, const char *name) {
  const std::vector<jxrt::OptionValue> &options = ctx->impl->options;
  for (size_t i = 0; i < options.size(); ++i)
    if (options[i].name == name) return static_cast<int32_t>(i);
  return -1;
}

int64_t jxrt_option_int(const jxrt_context *ctx, int32_t index) { return ctx->impl->options[index].integer; }
double jxrt_option_float(const jxrt_context *ctx, int32_t index) { return ctx->impl->options[index].real; }
const char *jxrt_option_string(const jxrt_context *ctx, int32_t index, int64_t *bytes) {
  const std::string &text = ctx->impl->options[index].text;
  *bytes = static_cast<int64_t>(text.size());
  return text.c_str();
}
