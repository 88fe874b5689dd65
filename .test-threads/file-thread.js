import{createRequire}from'node:module';const require=createRequire(import.meta.url);
import {
  contentHash,
  contentHashOf,
  serializeError
} from "./chunk-I3BT2B5K.js";
import {
  renamePatientlySync,
  sleepSync
} from "./chunk-D4UMDJ74.js";
import {
  errnoOrRethrow,
  isErrno,
  isRunning,
  machineName,
  ownRules,
  pidNamespace,
  rulesFor,
  startTime,
  watchMainThread
} from "./chunk-KOKIPM3J.js";
import {
  comparePaths
} from "./chunk-OTTFF52N.js";
import {
  fileKindOf,
  foldersAbove
} from "./chunk-E4QZ4GQG.js";
import {
  VaultgraphError
} from "./chunk-DGCWP52G.js";
import {
  __commonJS,
  __toESM
} from "./chunk-ZNZW5SZL.js";

// node_modules/picomatch/lib/constants.js
var require_constants = __commonJS({
  "node_modules/picomatch/lib/constants.js"(exports, module) {
    "use strict";
    var WIN_SLASH = "\\\\/";
    var WIN_NO_SLASH = `[^${WIN_SLASH}]`;
    var DEFAULT_MAX_EXTGLOB_RECURSION = 0;
    var DOT_LITERAL = "\\.";
    var PLUS_LITERAL = "\\+";
    var QMARK_LITERAL = "\\?";
    var SLASH_LITERAL = "\\/";
    var ONE_CHAR = "(?=.)";
    var QMARK = "[^/]";
    var END_ANCHOR = `(?:${SLASH_LITERAL}|$)`;
    var START_ANCHOR = `(?:^|${SLASH_LITERAL})`;
    var DOTS_SLASH = `${DOT_LITERAL}{1,2}${END_ANCHOR}`;
    var NO_DOT = `(?!${DOT_LITERAL})`;
    var NO_DOTS = `(?!${START_ANCHOR}${DOTS_SLASH})`;
    var NO_DOT_SLASH = `(?!${DOT_LITERAL}{0,1}${END_ANCHOR})`;
    var NO_DOTS_SLASH = `(?!${DOTS_SLASH})`;
    var QMARK_NO_DOT = `[^.${SLASH_LITERAL}]`;
    var STAR = `${QMARK}*?`;
    var SEP = "/";
    var POSIX_CHARS = {
      DOT_LITERAL,
      PLUS_LITERAL,
      QMARK_LITERAL,
      SLASH_LITERAL,
      ONE_CHAR,
      QMARK,
      END_ANCHOR,
      DOTS_SLASH,
      NO_DOT,
      NO_DOTS,
      NO_DOT_SLASH,
      NO_DOTS_SLASH,
      QMARK_NO_DOT,
      STAR,
      START_ANCHOR,
      SEP
    };
    var WINDOWS_CHARS = {
      ...POSIX_CHARS,
      SLASH_LITERAL: `[${WIN_SLASH}]`,
      QMARK: WIN_NO_SLASH,
      STAR: `${WIN_NO_SLASH}*?`,
      DOTS_SLASH: `${DOT_LITERAL}{1,2}(?:[${WIN_SLASH}]|$)`,
      NO_DOT: `(?!${DOT_LITERAL})`,
      NO_DOTS: `(?!(?:^|[${WIN_SLASH}])${DOT_LITERAL}{1,2}(?:[${WIN_SLASH}]|$))`,
      NO_DOT_SLASH: `(?!${DOT_LITERAL}{0,1}(?:[${WIN_SLASH}]|$))`,
      NO_DOTS_SLASH: `(?!${DOT_LITERAL}{1,2}(?:[${WIN_SLASH}]|$))`,
      QMARK_NO_DOT: `[^.${WIN_SLASH}]`,
      START_ANCHOR: `(?:^|[${WIN_SLASH}])`,
      END_ANCHOR: `(?:[${WIN_SLASH}]|$)`,
      SEP: "\\"
    };
    var POSIX_REGEX_SOURCE = {
      __proto__: null,
      alnum: "a-zA-Z0-9",
      alpha: "a-zA-Z",
      ascii: "\\x00-\\x7F",
      blank: " \\t",
      cntrl: "\\x00-\\x1F\\x7F",
      digit: "0-9",
      graph: "\\x21-\\x7E",
      lower: "a-z",
      print: "\\x20-\\x7E ",
      punct: "\\-!\"#$%&'()\\*+,./:;<=>?@[\\]^_`{|}~",
      space: " \\t\\r\\n\\v\\f",
      upper: "A-Z",
      word: "A-Za-z0-9_",
      xdigit: "A-Fa-f0-9"
    };
    module.exports = {
      DEFAULT_MAX_EXTGLOB_RECURSION,
      MAX_LENGTH: 1024 * 64,
      POSIX_REGEX_SOURCE,
      // regular expressions
      REGEX_BACKSLASH: /\\(?![*+?^${}(|)[\]])/g,
      REGEX_NON_SPECIAL_CHARS: /^[^@![\].,$*+?^{}()|\\/]+/,
      REGEX_SPECIAL_CHARS: /[-*+?.^${}(|)[\]]/,
      REGEX_SPECIAL_CHARS_BACKREF: /(\\?)((\W)(\3*))/g,
      REGEX_SPECIAL_CHARS_GLOBAL: /([-*+?.^${}(|)[\]])/g,
      REGEX_REMOVE_BACKSLASH: /(?:\[.*?[^\\]\]|\\(?=.))/g,
      // Replace globs with equivalent patterns to reduce parsing time.
      REPLACEMENTS: {
        __proto__: null,
        "***": "*",
        "**/**": "**",
        "**/**/**": "**"
      },
      // Digits
      CHAR_0: 48,
      /* 0 */
      CHAR_9: 57,
      /* 9 */
      // Alphabet chars.
      CHAR_UPPERCASE_A: 65,
      /* A */
      CHAR_LOWERCASE_A: 97,
      /* a */
      CHAR_UPPERCASE_Z: 90,
      /* Z */
      CHAR_LOWERCASE_Z: 122,
      /* z */
      CHAR_LEFT_PARENTHESES: 40,
      /* ( */
      CHAR_RIGHT_PARENTHESES: 41,
      /* ) */
      CHAR_ASTERISK: 42,
      /* * */
      // Non-alphabetic chars.
      CHAR_AMPERSAND: 38,
      /* & */
      CHAR_AT: 64,
      /* @ */
      CHAR_BACKWARD_SLASH: 92,
      /* \ */
      CHAR_CARRIAGE_RETURN: 13,
      /* \r */
      CHAR_CIRCUMFLEX_ACCENT: 94,
      /* ^ */
      CHAR_COLON: 58,
      /* : */
      CHAR_COMMA: 44,
      /* , */
      CHAR_DOT: 46,
      /* . */
      CHAR_DOUBLE_QUOTE: 34,
      /* " */
      CHAR_EQUAL: 61,
      /* = */
      CHAR_EXCLAMATION_MARK: 33,
      /* ! */
      CHAR_FORM_FEED: 12,
      /* \f */
      CHAR_FORWARD_SLASH: 47,
      /* / */
      CHAR_GRAVE_ACCENT: 96,
      /* ` */
      CHAR_HASH: 35,
      /* # */
      CHAR_HYPHEN_MINUS: 45,
      /* - */
      CHAR_LEFT_ANGLE_BRACKET: 60,
      /* < */
      CHAR_LEFT_CURLY_BRACE: 123,
      /* { */
      CHAR_LEFT_SQUARE_BRACKET: 91,
      /* [ */
      CHAR_LINE_FEED: 10,
      /* \n */
      CHAR_NO_BREAK_SPACE: 160,
      /* \u00A0 */
      CHAR_PERCENT: 37,
      /* % */
      CHAR_PLUS: 43,
      /* + */
      CHAR_QUESTION_MARK: 63,
      /* ? */
      CHAR_RIGHT_ANGLE_BRACKET: 62,
      /* > */
      CHAR_RIGHT_CURLY_BRACE: 125,
      /* } */
      CHAR_RIGHT_SQUARE_BRACKET: 93,
      /* ] */
      CHAR_SEMICOLON: 59,
      /* ; */
      CHAR_SINGLE_QUOTE: 39,
      /* ' */
      CHAR_SPACE: 32,
      /*   */
      CHAR_TAB: 9,
      /* \t */
      CHAR_UNDERSCORE: 95,
      /* _ */
      CHAR_VERTICAL_LINE: 124,
      /* | */
      CHAR_ZERO_WIDTH_NOBREAK_SPACE: 65279,
      /* \uFEFF */
      /**
       * Create EXTGLOB_CHARS
       */
      extglobChars(chars) {
        return {
          "!": { type: "negate", open: "(?:(?!(?:", close: `))${chars.STAR})` },
          "?": { type: "qmark", open: "(?:", close: ")?" },
          "+": { type: "plus", open: "(?:", close: ")+" },
          "*": { type: "star", open: "(?:", close: ")*" },
          "@": { type: "at", open: "(?:", close: ")" }
        };
      },
      /**
       * Create GLOB_CHARS
       */
      globChars(win32) {
        return win32 === true ? WINDOWS_CHARS : POSIX_CHARS;
      }
    };
  }
});

// node_modules/picomatch/lib/utils.js
var require_utils = __commonJS({
  "node_modules/picomatch/lib/utils.js"(exports) {
    "use strict";
    var {
      REGEX_BACKSLASH,
      REGEX_REMOVE_BACKSLASH,
      REGEX_SPECIAL_CHARS,
      REGEX_SPECIAL_CHARS_GLOBAL
    } = require_constants();
    exports.isObject = (val) => val !== null && typeof val === "object" && !Array.isArray(val);
    exports.hasRegexChars = (str) => REGEX_SPECIAL_CHARS.test(str);
    exports.isRegexChar = (str) => str.length === 1 && exports.hasRegexChars(str);
    exports.escapeRegex = (str) => str.replace(REGEX_SPECIAL_CHARS_GLOBAL, "\\$1");
    exports.toPosixSlashes = (str) => str.replace(REGEX_BACKSLASH, "/");
    exports.isWindows = () => {
      if (typeof navigator !== "undefined" && navigator.platform) {
        const platform = navigator.platform.toLowerCase();
        return platform === "win32" || platform === "windows";
      }
      if (typeof process !== "undefined" && process.platform) {
        return process.platform === "win32";
      }
      return false;
    };
    exports.removeBackslashes = (str) => {
      return str.replace(REGEX_REMOVE_BACKSLASH, (match) => {
        return match === "\\" ? "" : match;
      });
    };
    exports.escapeLast = (input, char, lastIdx) => {
      const idx = input.lastIndexOf(char, lastIdx);
      if (idx === -1) return input;
      if (input[idx - 1] === "\\") return exports.escapeLast(input, char, idx - 1);
      return `${input.slice(0, idx)}\\${input.slice(idx)}`;
    };
    exports.removePrefix = (input, state = {}) => {
      let output = input;
      if (output.startsWith("./")) {
        output = output.slice(2);
        state.prefix = "./";
      }
      return output;
    };
    exports.wrapOutput = (input, state = {}, options = {}) => {
      const prepend = options.contains ? "" : "^";
      const append = options.contains ? "" : "$";
      let output = `${prepend}(?:${input})${append}`;
      if (state.negated === true) {
        output = `(?:^(?!${output}).*$)`;
      }
      return output;
    };
    exports.basename = (path, { windows } = {}) => {
      const segs = path.split(windows ? /[\\/]/ : "/");
      const last = segs[segs.length - 1];
      if (last === "") {
        return segs[segs.length - 2];
      }
      return last;
    };
  }
});

// node_modules/picomatch/lib/scan.js
var require_scan = __commonJS({
  "node_modules/picomatch/lib/scan.js"(exports, module) {
    "use strict";
    var utils = require_utils();
    var {
      CHAR_ASTERISK,
      /* * */
      CHAR_AT,
      /* @ */
      CHAR_BACKWARD_SLASH,
      /* \ */
      CHAR_COMMA,
      /* , */
      CHAR_DOT,
      /* . */
      CHAR_EXCLAMATION_MARK,
      /* ! */
      CHAR_FORWARD_SLASH,
      /* / */
      CHAR_LEFT_CURLY_BRACE,
      /* { */
      CHAR_LEFT_PARENTHESES,
      /* ( */
      CHAR_LEFT_SQUARE_BRACKET,
      /* [ */
      CHAR_PLUS,
      /* + */
      CHAR_QUESTION_MARK,
      /* ? */
      CHAR_RIGHT_CURLY_BRACE,
      /* } */
      CHAR_RIGHT_PARENTHESES,
      /* ) */
      CHAR_RIGHT_SQUARE_BRACKET
      /* ] */
    } = require_constants();
    var isPathSeparator = (code) => {
      return code === CHAR_FORWARD_SLASH || code === CHAR_BACKWARD_SLASH;
    };
    var depth = (token) => {
      if (token.isPrefix !== true) {
        token.depth = token.isGlobstar ? Infinity : 1;
      }
    };
    var scan = (input, options) => {
      const opts = options || {};
      const length = input.length - 1;
      const scanToEnd = opts.parts === true || opts.tokens === true || opts.scanToEnd === true;
      const slashes = [];
      const tokens = [];
      const parts = [];
      let str = input;
      let index = -1;
      let start = 0;
      let lastIndex = 0;
      let isBrace = false;
      let isBracket = false;
      let isGlob = false;
      let isExtglob = false;
      let isGlobstar = false;
      let braceEscaped = false;
      let backslashes = false;
      let negated = false;
      let negatedExtglob = false;
      let finished = false;
      let braces = 0;
      let prev;
      let code;
      let token = { value: "", depth: 0, isGlob: false };
      const eos = () => index >= length;
      const peek = () => str.charCodeAt(index + 1);
      const advance = () => {
        prev = code;
        return str.charCodeAt(++index);
      };
      while (index < length) {
        code = advance();
        let next;
        if (code === CHAR_BACKWARD_SLASH) {
          backslashes = token.backslashes = true;
          code = advance();
          if (code === CHAR_LEFT_CURLY_BRACE) {
            braceEscaped = true;
          }
          continue;
        }
        if (braceEscaped === true || code === CHAR_LEFT_CURLY_BRACE) {
          braces++;
          while (eos() !== true && (code = advance())) {
            if (code === CHAR_BACKWARD_SLASH) {
              backslashes = token.backslashes = true;
              advance();
              continue;
            }
            if (code === CHAR_LEFT_CURLY_BRACE) {
              braces++;
              continue;
            }
            if (braceEscaped !== true && code === CHAR_DOT && (code = advance()) === CHAR_DOT) {
              isBrace = token.isBrace = true;
              isGlob = token.isGlob = true;
              finished = true;
              if (scanToEnd === true) {
                continue;
              }
              break;
            }
            if (braceEscaped !== true && code === CHAR_COMMA) {
              isBrace = token.isBrace = true;
              isGlob = token.isGlob = true;
              finished = true;
              if (scanToEnd === true) {
                continue;
              }
              break;
            }
            if (code === CHAR_RIGHT_CURLY_BRACE) {
              braces--;
              if (braces === 0) {
                braceEscaped = false;
                isBrace = token.isBrace = true;
                finished = true;
                break;
              }
            }
          }
          if (scanToEnd === true) {
            continue;
          }
          break;
        }
        if (code === CHAR_FORWARD_SLASH) {
          slashes.push(index);
          tokens.push(token);
          token = { value: "", depth: 0, isGlob: false };
          if (finished === true) continue;
          if (prev === CHAR_DOT && index === start + 1) {
            start += 2;
            continue;
          }
          lastIndex = index + 1;
          continue;
        }
        if (opts.noext !== true) {
          const isExtglobChar = code === CHAR_PLUS || code === CHAR_AT || code === CHAR_ASTERISK || code === CHAR_QUESTION_MARK || code === CHAR_EXCLAMATION_MARK;
          if (isExtglobChar === true && peek() === CHAR_LEFT_PARENTHESES) {
            isGlob = token.isGlob = true;
            isExtglob = token.isExtglob = true;
            finished = true;
            if (code === CHAR_EXCLAMATION_MARK && index === start) {
              negatedExtglob = true;
            }
            if (scanToEnd === true) {
              let parens = 0;
              while (eos() !== true && (code = advance())) {
                if (code === CHAR_BACKWARD_SLASH) {
                  backslashes = token.backslashes = true;
                  advance();
                  continue;
                }
                if (code === CHAR_LEFT_PARENTHESES) {
                  parens++;
                  continue;
                }
                if (code === CHAR_RIGHT_PARENTHESES && --parens === 0) {
                  finished = true;
                  break;
                }
              }
              continue;
            }
            break;
          }
        }
        if (code === CHAR_ASTERISK) {
          if (prev === CHAR_ASTERISK) isGlobstar = token.isGlobstar = true;
          isGlob = token.isGlob = true;
          finished = true;
          if (scanToEnd === true) {
            continue;
          }
          break;
        }
        if (code === CHAR_QUESTION_MARK) {
          isGlob = token.isGlob = true;
          finished = true;
          if (scanToEnd === true) {
            continue;
          }
          break;
        }
        if (code === CHAR_LEFT_SQUARE_BRACKET) {
          while (eos() !== true && (next = advance())) {
            if (next === CHAR_BACKWARD_SLASH) {
              backslashes = token.backslashes = true;
              advance();
              continue;
            }
            if (next === CHAR_RIGHT_SQUARE_BRACKET) {
              isBracket = token.isBracket = true;
              isGlob = token.isGlob = true;
              finished = true;
              break;
            }
          }
          if (scanToEnd === true) {
            continue;
          }
          break;
        }
        if (opts.nonegate !== true && code === CHAR_EXCLAMATION_MARK && index === start) {
          negated = token.negated = true;
          start++;
          continue;
        }
        if (opts.noparen !== true && code === CHAR_LEFT_PARENTHESES) {
          isGlob = token.isGlob = true;
          if (scanToEnd === true) {
            let parens = 1;
            while (eos() !== true && (code = advance())) {
              if (code === CHAR_BACKWARD_SLASH) {
                backslashes = token.backslashes = true;
                advance();
                continue;
              }
              if (code === CHAR_LEFT_PARENTHESES) {
                parens++;
                continue;
              }
              if (code === CHAR_RIGHT_PARENTHESES && --parens === 0) {
                finished = true;
                break;
              }
            }
            continue;
          }
          break;
        }
        if (isGlob === true) {
          finished = true;
          if (scanToEnd === true) {
            continue;
          }
          break;
        }
      }
      if (opts.noext === true) {
        isExtglob = false;
        isGlob = false;
      }
      let base = str;
      let prefix = "";
      let glob = "";
      if (start > 0) {
        prefix = str.slice(0, start);
        str = str.slice(start);
        lastIndex -= start;
      }
      if (base && isGlob === true && lastIndex > 0) {
        base = str.slice(0, lastIndex);
        glob = str.slice(lastIndex);
      } else if (isGlob === true) {
        base = "";
        glob = str;
      } else {
        base = str;
      }
      if (base && base !== "" && base !== "/" && base !== str) {
        if (isPathSeparator(base.charCodeAt(base.length - 1))) {
          base = base.slice(0, -1);
        }
      }
      if (opts.unescape === true) {
        if (glob) glob = utils.removeBackslashes(glob);
        if (base && backslashes === true) {
          base = utils.removeBackslashes(base);
        }
      }
      const state = {
        prefix,
        input,
        start,
        base,
        glob,
        isBrace,
        isBracket,
        isGlob,
        isExtglob,
        isGlobstar,
        negated,
        negatedExtglob
      };
      if (opts.tokens === true) {
        state.maxDepth = 0;
        if (!isPathSeparator(code)) {
          tokens.push(token);
        }
        state.tokens = tokens;
      }
      if (opts.parts === true || opts.tokens === true) {
        let prevIndex;
        for (let idx = 0; idx < slashes.length; idx++) {
          const n2 = prevIndex !== void 0 ? prevIndex + 1 : start;
          const i = slashes[idx];
          const value2 = input.slice(n2, i);
          if (opts.tokens) {
            if (idx === 0 && start !== 0) {
              tokens[idx].isPrefix = true;
              tokens[idx].value = prefix;
            } else {
              tokens[idx].value = value2;
            }
            depth(tokens[idx]);
            state.maxDepth += tokens[idx].depth;
          }
          if (i >= start) {
            parts.push(value2);
            prevIndex = i;
          }
        }
        const n = prevIndex !== void 0 ? prevIndex + 1 : start;
        const value = input.slice(n);
        parts.push(value);
        if (opts.tokens && prevIndex && prevIndex + 1 < input.length) {
          tokens[tokens.length - 1].value = value;
          depth(tokens[tokens.length - 1]);
          state.maxDepth += tokens[tokens.length - 1].depth;
        }
        state.slashes = slashes;
        state.parts = parts;
      }
      return state;
    };
    module.exports = scan;
  }
});

// node_modules/picomatch/lib/parse.js
var require_parse = __commonJS({
  "node_modules/picomatch/lib/parse.js"(exports, module) {
    "use strict";
    var constants5 = require_constants();
    var utils = require_utils();
    var {
      MAX_LENGTH,
      POSIX_REGEX_SOURCE,
      REGEX_NON_SPECIAL_CHARS,
      REGEX_SPECIAL_CHARS_BACKREF,
      REPLACEMENTS
    } = constants5;
    var expandRange = (args, options) => {
      if (typeof options.expandRange === "function") {
        return options.expandRange(...args, options);
      }
      args.sort();
      const value = `[${args.join("-")}]`;
      try {
        new RegExp(value);
      } catch (ex) {
        return args.map((v) => utils.escapeRegex(v)).join("..");
      }
      return value;
    };
    var syntaxError = (type, char) => {
      return `Missing ${type}: "${char}" - use "\\\\${char}" to match literal characters`;
    };
    var splitTopLevel = (input) => {
      const parts = [];
      let bracket = 0;
      let paren = 0;
      let quote = 0;
      let value = "";
      let escaped = false;
      for (const ch of input) {
        if (escaped === true) {
          value += ch;
          escaped = false;
          continue;
        }
        if (ch === "\\") {
          value += ch;
          escaped = true;
          continue;
        }
        if (ch === '"') {
          quote = quote === 1 ? 0 : 1;
          value += ch;
          continue;
        }
        if (quote === 0) {
          if (ch === "[") {
            bracket++;
          } else if (ch === "]" && bracket > 0) {
            bracket--;
          } else if (bracket === 0) {
            if (ch === "(") {
              paren++;
            } else if (ch === ")" && paren > 0) {
              paren--;
            } else if (ch === "|" && paren === 0) {
              parts.push(value);
              value = "";
              continue;
            }
          }
        }
        value += ch;
      }
      parts.push(value);
      return parts;
    };
    var isPlainBranch = (branch) => {
      let escaped = false;
      for (const ch of branch) {
        if (escaped === true) {
          escaped = false;
          continue;
        }
        if (ch === "\\") {
          escaped = true;
          continue;
        }
        if (/[?*+@!()[\]{}]/.test(ch)) {
          return false;
        }
      }
      return true;
    };
    var normalizeSimpleBranch = (branch) => {
      let value = branch.trim();
      let changed = true;
      while (changed === true) {
        changed = false;
        if (/^@\([^\\()[\]{}|]+\)$/.test(value)) {
          value = value.slice(2, -1);
          changed = true;
        }
      }
      if (!isPlainBranch(value)) {
        return;
      }
      return value.replace(/\\(.)/g, "$1");
    };
    var hasRepeatedCharPrefixOverlap = (branches) => {
      const values = branches.map(normalizeSimpleBranch).filter(Boolean);
      for (let i = 0; i < values.length; i++) {
        for (let j = i + 1; j < values.length; j++) {
          const a = values[i];
          const b = values[j];
          const char = a[0];
          if (!char || a !== char.repeat(a.length) || b !== char.repeat(b.length)) {
            continue;
          }
          if (a === b || a.startsWith(b) || b.startsWith(a)) {
            return true;
          }
        }
      }
      return false;
    };
    var parseRepeatedExtglob = (pattern, requireEnd = true) => {
      if (pattern[0] !== "+" && pattern[0] !== "*" || pattern[1] !== "(") {
        return;
      }
      let bracket = 0;
      let paren = 0;
      let quote = 0;
      let escaped = false;
      for (let i = 1; i < pattern.length; i++) {
        const ch = pattern[i];
        if (escaped === true) {
          escaped = false;
          continue;
        }
        if (ch === "\\") {
          escaped = true;
          continue;
        }
        if (ch === '"') {
          quote = quote === 1 ? 0 : 1;
          continue;
        }
        if (quote === 1) {
          continue;
        }
        if (ch === "[") {
          bracket++;
          continue;
        }
        if (ch === "]" && bracket > 0) {
          bracket--;
          continue;
        }
        if (bracket > 0) {
          continue;
        }
        if (ch === "(") {
          paren++;
          continue;
        }
        if (ch === ")") {
          paren--;
          if (paren === 0) {
            if (requireEnd === true && i !== pattern.length - 1) {
              return;
            }
            return {
              type: pattern[0],
              body: pattern.slice(2, i),
              end: i
            };
          }
        }
      }
    };
    var buildCharClassStar = (chars) => {
      const source = chars.length === 1 ? utils.escapeRegex(chars[0]) : `[${chars.map((ch) => utils.escapeRegex(ch)).join("")}]`;
      return `${source}*`;
    };
    var getStarExtglobSequenceChars = (pattern) => {
      let index = 0;
      const chars = [];
      while (index < pattern.length) {
        const match = parseRepeatedExtglob(pattern.slice(index), false);
        if (!match || match.type !== "*") {
          return;
        }
        const branches = splitTopLevel(match.body).map((branch2) => branch2.trim());
        if (branches.length !== 1) {
          return;
        }
        const branch = normalizeSimpleBranch(branches[0]);
        if (!branch || branch.length !== 1) {
          return;
        }
        chars.push(branch);
        index += match.end + 1;
      }
      if (chars.length < 1) {
        return;
      }
      return chars;
    };
    var repeatedExtglobRecursion = (pattern) => {
      let depth = 0;
      let value = pattern.trim();
      let match = parseRepeatedExtglob(value);
      while (match) {
        depth++;
        value = match.body.trim();
        match = parseRepeatedExtglob(value);
      }
      return depth;
    };
    var analyzeRepeatedExtglob = (body, options) => {
      if (options.maxExtglobRecursion === false) {
        return { risky: false };
      }
      const max = typeof options.maxExtglobRecursion === "number" ? options.maxExtglobRecursion : constants5.DEFAULT_MAX_EXTGLOB_RECURSION;
      const branches = splitTopLevel(body).map((branch) => branch.trim());
      if (branches.length > 1) {
        if (branches.some((branch) => branch === "") || branches.some((branch) => /^[*?]+$/.test(branch)) || hasRepeatedCharPrefixOverlap(branches)) {
          return { risky: true };
        }
      }
      const safeChars = [];
      let sawStarSequence = false;
      let combinable = true;
      for (const branch of branches) {
        const chars = getStarExtglobSequenceChars(branch);
        if (chars) {
          sawStarSequence = true;
          safeChars.push(...chars);
          continue;
        }
        const literal = normalizeSimpleBranch(branch);
        if (literal && literal.length === 1) {
          safeChars.push(literal);
          continue;
        }
        combinable = false;
        if (repeatedExtglobRecursion(branch) > max) {
          return { risky: true };
        }
      }
      if (sawStarSequence) {
        return combinable ? { risky: true, safeOutput: buildCharClassStar([...new Set(safeChars)]) } : { risky: true };
      }
      return { risky: false };
    };
    var parse = (input, options) => {
      if (typeof input !== "string") {
        throw new TypeError("Expected a string");
      }
      input = REPLACEMENTS[input] || input;
      const opts = { ...options };
      const max = typeof opts.maxLength === "number" ? Math.min(MAX_LENGTH, opts.maxLength) : MAX_LENGTH;
      let len = input.length;
      if (len > max) {
        throw new SyntaxError(`Input length: ${len}, exceeds maximum allowed length: ${max}`);
      }
      const bos = { type: "bos", value: "", output: opts.prepend || "" };
      const tokens = [bos];
      const capture = opts.capture ? "" : "?:";
      const PLATFORM_CHARS = constants5.globChars(opts.windows);
      const EXTGLOB_CHARS = constants5.extglobChars(PLATFORM_CHARS);
      const {
        DOT_LITERAL,
        PLUS_LITERAL,
        SLASH_LITERAL,
        ONE_CHAR,
        DOTS_SLASH,
        NO_DOT,
        NO_DOT_SLASH,
        NO_DOTS_SLASH,
        QMARK,
        QMARK_NO_DOT,
        STAR,
        START_ANCHOR
      } = PLATFORM_CHARS;
      const globstar = (opts2) => {
        return `(${capture}(?:(?!${START_ANCHOR}${opts2.dot ? DOTS_SLASH : DOT_LITERAL}).)*?)`;
      };
      const nodot = opts.dot ? "" : NO_DOT;
      const qmarkNoDot = opts.dot ? QMARK : QMARK_NO_DOT;
      let star = opts.bash === true ? globstar(opts) : STAR;
      if (opts.capture) {
        star = `(${star})`;
      }
      if (typeof opts.noext === "boolean") {
        opts.noextglob = opts.noext;
      }
      const state = {
        input,
        index: -1,
        start: 0,
        dot: opts.dot === true,
        consumed: "",
        output: "",
        prefix: "",
        backtrack: false,
        negated: false,
        brackets: 0,
        braces: 0,
        parens: 0,
        quotes: 0,
        globstar: false,
        tokens
      };
      input = utils.removePrefix(input, state);
      len = input.length;
      const extglobs = [];
      const braces = [];
      const stack = [];
      let prev = bos;
      let value;
      const eos = () => state.index === len - 1;
      const peek = state.peek = (n = 1) => input[state.index + n];
      const advance = state.advance = () => input[++state.index] || "";
      const remaining = () => input.slice(state.index + 1);
      const consume = (value2 = "", num = 0) => {
        state.consumed += value2;
        state.index += num;
      };
      const append = (token) => {
        state.output += token.output != null ? token.output : token.value;
        consume(token.value);
      };
      const negate = () => {
        let count = 1;
        while (peek() === "!" && (peek(2) !== "(" || peek(3) === "?")) {
          advance();
          state.start++;
          count++;
        }
        if (count % 2 === 0) {
          return false;
        }
        state.negated = true;
        state.start++;
        return true;
      };
      const increment = (type) => {
        state[type]++;
        stack.push(type);
      };
      const decrement = (type) => {
        state[type]--;
        stack.pop();
      };
      const push = (tok) => {
        if (prev.type === "globstar") {
          const isBrace = state.braces > 0 && (tok.type === "comma" || tok.type === "brace");
          const isExtglob = tok.extglob === true || extglobs.length && (tok.type === "pipe" || tok.type === "paren");
          if (tok.type !== "slash" && tok.type !== "paren" && !isBrace && !isExtglob) {
            state.output = state.output.slice(0, -prev.output.length);
            prev.type = "star";
            prev.value = "*";
            prev.output = star;
            state.output += prev.output;
          }
        }
        if (extglobs.length && tok.type !== "paren") {
          extglobs[extglobs.length - 1].inner += tok.value;
        }
        if (tok.value || tok.output) append(tok);
        if (prev && prev.type === "text" && tok.type === "text") {
          prev.output = (prev.output || prev.value) + tok.value;
          prev.value += tok.value;
          return;
        }
        tok.prev = prev;
        tokens.push(tok);
        prev = tok;
      };
      const extglobOpen = (type, value2) => {
        const token = { ...EXTGLOB_CHARS[value2], conditions: 1, inner: "" };
        token.prev = prev;
        token.parens = state.parens;
        token.output = state.output;
        token.startIndex = state.index;
        token.tokensIndex = tokens.length;
        const output = (opts.capture ? "(" : "") + token.open;
        increment("parens");
        push({ type, value: value2, output: state.output ? "" : ONE_CHAR });
        push({ type: "paren", extglob: true, value: advance(), output });
        extglobs.push(token);
      };
      const extglobClose = (token) => {
        const literal = input.slice(token.startIndex, state.index + 1);
        const body = input.slice(token.startIndex + 2, state.index);
        const analysis = analyzeRepeatedExtglob(body, opts);
        if ((token.type === "plus" || token.type === "star") && analysis.risky) {
          const safeOutput = analysis.safeOutput ? (token.output ? "" : ONE_CHAR) + (opts.capture ? `(${analysis.safeOutput})` : analysis.safeOutput) : void 0;
          const open = tokens[token.tokensIndex];
          open.type = "text";
          open.value = literal;
          open.output = safeOutput || utils.escapeRegex(literal);
          for (let i = token.tokensIndex + 1; i < tokens.length; i++) {
            tokens[i].value = "";
            tokens[i].output = "";
            delete tokens[i].suffix;
          }
          state.output = token.output + open.output;
          state.backtrack = true;
          push({ type: "paren", extglob: true, value, output: "" });
          decrement("parens");
          return;
        }
        let output = token.close + (opts.capture ? ")" : "");
        let rest;
        if (token.type === "negate") {
          let extglobStar = star;
          if (token.inner && token.inner.length > 1 && token.inner.includes("/")) {
            extglobStar = globstar(opts);
          }
          if (extglobStar !== star || eos() || /^\)+$/.test(remaining())) {
            output = token.close = `)$))${extglobStar}`;
          }
          if (token.inner.includes("*") && (rest = remaining()) && /^\.[^\\/.]+$/.test(rest)) {
            const expression = parse(rest, { ...options, fastpaths: false }).output;
            output = token.close = `)${expression})${extglobStar})`;
          }
          if (token.prev.type === "bos") {
            state.negatedExtglob = true;
          }
        }
        push({ type: "paren", extglob: true, value, output });
        decrement("parens");
      };
      if (opts.fastpaths !== false && !/(^[*!]|[/()[\]{}"])/.test(input)) {
        let backslashes = false;
        let output = input.replace(REGEX_SPECIAL_CHARS_BACKREF, (m, esc, chars, first, rest, index) => {
          if (first === "\\") {
            backslashes = true;
            return m;
          }
          if (first === "?") {
            if (esc) {
              return esc + first + (rest ? QMARK.repeat(rest.length) : "");
            }
            if (index === 0) {
              return qmarkNoDot + (rest ? QMARK.repeat(rest.length) : "");
            }
            return QMARK.repeat(chars.length);
          }
          if (first === ".") {
            return DOT_LITERAL.repeat(chars.length);
          }
          if (first === "*") {
            if (esc) {
              return esc + first + (rest ? star : "");
            }
            return star;
          }
          return esc ? m : `\\${m}`;
        });
        if (backslashes === true) {
          if (opts.unescape === true) {
            output = output.replace(/\\/g, "");
          } else {
            output = output.replace(/\\+/g, (m) => {
              return m.length % 2 === 0 ? "\\\\" : m ? "\\" : "";
            });
          }
        }
        if (output === input && opts.contains === true) {
          state.output = input;
          return state;
        }
        state.output = utils.wrapOutput(output, state, options);
        return state;
      }
      while (!eos()) {
        value = advance();
        if (value === "\0") {
          continue;
        }
        if (value === "\\") {
          const next = peek();
          if (next === "/" && opts.bash !== true) {
            continue;
          }
          if (next === "." || next === ";") {
            continue;
          }
          if (!next) {
            value += "\\";
            push({ type: "text", value });
            continue;
          }
          const match = /^\\+/.exec(remaining());
          let slashes = 0;
          if (match && match[0].length > 2) {
            slashes = match[0].length;
            state.index += slashes;
            if (slashes % 2 !== 0) {
              value += "\\";
            }
          }
          if (opts.unescape === true) {
            value = advance();
          } else {
            value += advance();
          }
          if (state.brackets === 0) {
            push({ type: "text", value });
            continue;
          }
        }
        if (state.brackets > 0 && (value !== "]" || prev.value === "[" || prev.value === "[^")) {
          if (opts.posix !== false && value === ":") {
            const inner = prev.value.slice(1);
            if (inner.includes("[")) {
              prev.posix = true;
              if (inner.includes(":")) {
                const idx = prev.value.lastIndexOf("[");
                const pre = prev.value.slice(0, idx);
                const rest2 = prev.value.slice(idx + 2);
                const posix = POSIX_REGEX_SOURCE[rest2];
                if (posix) {
                  prev.value = pre + posix;
                  state.backtrack = true;
                  advance();
                  if (!bos.output && tokens.indexOf(prev) === 1) {
                    bos.output = ONE_CHAR;
                  }
                  continue;
                }
              }
            }
          }
          if (value === "[" && peek() !== ":" || value === "-" && peek() === "]") {
            value = `\\${value}`;
          }
          if (value === "]" && (prev.value === "[" || prev.value === "[^")) {
            value = `\\${value}`;
          }
          if (opts.posix === true && value === "!" && prev.value === "[") {
            value = "^";
          }
          prev.value += value;
          append({ value });
          continue;
        }
        if (state.quotes === 1 && value !== '"') {
          value = utils.escapeRegex(value);
          prev.value += value;
          append({ value });
          continue;
        }
        if (value === '"') {
          state.quotes = state.quotes === 1 ? 0 : 1;
          if (opts.keepQuotes === true) {
            push({ type: "text", value });
          }
          continue;
        }
        if (value === "(") {
          increment("parens");
          push({ type: "paren", value });
          continue;
        }
        if (value === ")") {
          if (state.parens === 0 && opts.strictBrackets === true) {
            throw new SyntaxError(syntaxError("opening", "("));
          }
          const extglob = extglobs[extglobs.length - 1];
          if (extglob && state.parens === extglob.parens + 1) {
            extglobClose(extglobs.pop());
            continue;
          }
          push({ type: "paren", value, output: state.parens ? ")" : "\\)" });
          decrement("parens");
          continue;
        }
        if (value === "[") {
          if (opts.nobracket === true || !remaining().includes("]")) {
            if (opts.nobracket !== true && opts.strictBrackets === true) {
              throw new SyntaxError(syntaxError("closing", "]"));
            }
            value = `\\${value}`;
          } else {
            increment("brackets");
          }
          push({ type: "bracket", value });
          continue;
        }
        if (value === "]") {
          if (opts.nobracket === true || prev && prev.type === "bracket" && prev.value.length === 1) {
            push({ type: "text", value, output: `\\${value}` });
            continue;
          }
          if (state.brackets === 0) {
            if (opts.strictBrackets === true) {
              throw new SyntaxError(syntaxError("opening", "["));
            }
            push({ type: "text", value, output: `\\${value}` });
            continue;
          }
          decrement("brackets");
          const prevValue = prev.value.slice(1);
          if (prev.posix !== true && prevValue[0] === "^" && !prevValue.includes("/")) {
            value = `/${value}`;
          }
          prev.value += value;
          append({ value });
          if (opts.literalBrackets === false || utils.hasRegexChars(prevValue)) {
            continue;
          }
          const escaped = utils.escapeRegex(prev.value);
          state.output = state.output.slice(0, -prev.value.length);
          if (opts.literalBrackets === true) {
            state.output += escaped;
            prev.value = escaped;
            continue;
          }
          prev.value = `(${capture}${escaped}|${prev.value})`;
          state.output += prev.value;
          continue;
        }
        if (value === "{" && opts.nobrace !== true) {
          increment("braces");
          const open = {
            type: "brace",
            value,
            output: "(",
            outputIndex: state.output.length,
            tokensIndex: state.tokens.length
          };
          braces.push(open);
          push(open);
          continue;
        }
        if (value === "}") {
          const brace = braces[braces.length - 1];
          if (opts.nobrace === true || !brace) {
            push({ type: "text", value, output: value });
            continue;
          }
          let output = ")";
          if (brace.dots === true) {
            const arr = tokens.slice();
            const range = [];
            for (let i = arr.length - 1; i >= 0; i--) {
              tokens.pop();
              if (arr[i].type === "brace") {
                break;
              }
              if (arr[i].type !== "dots") {
                range.unshift(arr[i].value);
              }
            }
            output = expandRange(range, opts);
            state.backtrack = true;
          }
          if (brace.comma !== true && brace.dots !== true) {
            const out = state.output.slice(0, brace.outputIndex);
            const toks = state.tokens.slice(brace.tokensIndex);
            brace.value = brace.output = "\\{";
            value = output = "\\}";
            state.output = out;
            for (const t of toks) {
              state.output += t.output || t.value;
            }
          }
          push({ type: "brace", value, output });
          decrement("braces");
          braces.pop();
          continue;
        }
        if (value === "|") {
          if (extglobs.length > 0) {
            extglobs[extglobs.length - 1].conditions++;
          }
          push({ type: "text", value });
          continue;
        }
        if (value === ",") {
          let output = value;
          const brace = braces[braces.length - 1];
          if (brace && stack[stack.length - 1] === "braces") {
            brace.comma = true;
            output = "|";
          }
          push({ type: "comma", value, output });
          continue;
        }
        if (value === "/") {
          if (prev.type === "dot" && state.index === state.start + 1) {
            state.start = state.index + 1;
            state.consumed = "";
            state.output = "";
            tokens.pop();
            prev = bos;
            continue;
          }
          push({ type: "slash", value, output: SLASH_LITERAL });
          continue;
        }
        if (value === ".") {
          if (state.braces > 0 && prev.type === "dot") {
            if (prev.value === ".") prev.output = DOT_LITERAL;
            const brace = braces[braces.length - 1];
            prev.type = "dots";
            prev.output += value;
            prev.value += value;
            brace.dots = true;
            continue;
          }
          if (state.braces + state.parens === 0 && prev.type !== "bos" && prev.type !== "slash") {
            push({ type: "text", value, output: DOT_LITERAL });
            continue;
          }
          push({ type: "dot", value, output: DOT_LITERAL });
          continue;
        }
        if (value === "?") {
          const isGroup = prev && prev.value === "(";
          if (!isGroup && opts.noextglob !== true && peek() === "(" && peek(2) !== "?") {
            extglobOpen("qmark", value);
            continue;
          }
          if (prev && prev.type === "paren") {
            const next = peek();
            let output = value;
            if (prev.value === "(" && !/[!=<:]/.test(next) || next === "<" && !/<([!=]|\w+>)/.test(remaining())) {
              output = `\\${value}`;
            }
            push({ type: "text", value, output });
            continue;
          }
          if (opts.dot !== true && (prev.type === "slash" || prev.type === "bos")) {
            push({ type: "qmark", value, output: QMARK_NO_DOT });
            continue;
          }
          push({ type: "qmark", value, output: QMARK });
          continue;
        }
        if (value === "!") {
          if (opts.noextglob !== true && peek() === "(") {
            if (peek(2) !== "?" || !/[!=<:]/.test(peek(3))) {
              extglobOpen("negate", value);
              continue;
            }
          }
          if (opts.nonegate !== true && state.index === 0) {
            negate();
            continue;
          }
        }
        if (value === "+") {
          if (opts.noextglob !== true && peek() === "(" && peek(2) !== "?") {
            extglobOpen("plus", value);
            continue;
          }
          if (prev && prev.value === "(" || opts.regex === false) {
            push({ type: "plus", value, output: PLUS_LITERAL });
            continue;
          }
          if (prev && (prev.type === "bracket" || prev.type === "paren" || prev.type === "brace") || state.parens > 0) {
            push({ type: "plus", value });
            continue;
          }
          push({ type: "plus", value: PLUS_LITERAL });
          continue;
        }
        if (value === "@") {
          if (opts.noextglob !== true && peek() === "(" && peek(2) !== "?") {
            push({ type: "at", extglob: true, value, output: "" });
            continue;
          }
          push({ type: "text", value });
          continue;
        }
        if (value !== "*") {
          if (value === "$" || value === "^") {
            value = `\\${value}`;
          }
          const match = REGEX_NON_SPECIAL_CHARS.exec(remaining());
          if (match) {
            value += match[0];
            state.index += match[0].length;
          }
          push({ type: "text", value });
          continue;
        }
        if (prev && (prev.type === "globstar" || prev.star === true)) {
          prev.type = "star";
          prev.star = true;
          prev.value += value;
          prev.output = star;
          state.backtrack = true;
          state.globstar = true;
          consume(value);
          continue;
        }
        let rest = remaining();
        if (opts.noextglob !== true && /^\([^?]/.test(rest)) {
          extglobOpen("star", value);
          continue;
        }
        if (prev.type === "star") {
          if (opts.noglobstar === true) {
            consume(value);
            continue;
          }
          const prior = prev.prev;
          const before = prior.prev;
          const isStart = prior.type === "slash" || prior.type === "bos";
          const afterStar = before && (before.type === "star" || before.type === "globstar");
          if (opts.bash === true && (!isStart || rest[0] && rest[0] !== "/")) {
            push({ type: "star", value, output: "" });
            continue;
          }
          const isBrace = state.braces > 0 && (prior.type === "comma" || prior.type === "brace");
          const isExtglob = extglobs.length && (prior.type === "pipe" || prior.type === "paren");
          if (!isStart && prior.type !== "paren" && !isBrace && !isExtglob) {
            push({ type: "star", value, output: "" });
            continue;
          }
          while (rest.slice(0, 3) === "/**") {
            const after = input[state.index + 4];
            if (after && after !== "/") {
              break;
            }
            rest = rest.slice(3);
            consume("/**", 3);
          }
          const isEnd = eos() || state.parens > 0 && rest === ")".repeat(state.parens) && !extglobs.some((extglob) => extglob.type === "negate");
          if (prior.type === "bos" && eos()) {
            prev.type = "globstar";
            prev.value += value;
            prev.output = globstar(opts);
            state.output = prev.output;
            state.globstar = true;
            consume(value);
            continue;
          }
          if (prior.type === "slash" && prior.prev.type !== "bos" && !afterStar && isEnd) {
            state.output = state.output.slice(0, -(prior.output + prev.output).length);
            prior.output = `(?:${prior.output}`;
            prev.type = "globstar";
            prev.output = globstar(opts) + (opts.strictSlashes ? ")" : "|$)");
            prev.value += value;
            state.globstar = true;
            state.output += prior.output + prev.output;
            consume(value);
            continue;
          }
          if (prior.type === "slash" && prior.prev.type !== "bos" && rest[0] === "/") {
            const end = rest[1] !== void 0 ? "|$" : "";
            state.output = state.output.slice(0, -(prior.output + prev.output).length);
            prior.output = `(?:${prior.output}`;
            prev.type = "globstar";
            prev.output = `${globstar(opts)}${SLASH_LITERAL}|${SLASH_LITERAL}${end})`;
            prev.value += value;
            state.output += prior.output + prev.output;
            state.globstar = true;
            consume(value + advance());
            push({ type: "slash", value: "/", output: "" });
            continue;
          }
          if (prior.type === "bos" && rest[0] === "/") {
            prev.type = "globstar";
            prev.value += value;
            prev.output = `(?:^|${SLASH_LITERAL}|${globstar(opts)}${SLASH_LITERAL})`;
            state.output = prev.output;
            state.globstar = true;
            consume(value + advance());
            push({ type: "slash", value: "/", output: "" });
            continue;
          }
          state.output = state.output.slice(0, -prev.output.length);
          prev.type = "globstar";
          prev.output = globstar(opts);
          prev.value += value;
          state.output += prev.output;
          state.globstar = true;
          consume(value);
          continue;
        }
        const token = { type: "star", value, output: star };
        if (opts.bash === true) {
          token.output = ".*?";
          if (prev.type === "bos" || prev.type === "slash") {
            token.output = nodot + token.output;
          }
          push(token);
          continue;
        }
        if (prev && (prev.type === "bracket" || prev.type === "paren") && opts.regex === true) {
          token.output = value;
          push(token);
          continue;
        }
        if (state.index === state.start || prev.type === "slash" || prev.type === "dot") {
          if (prev.type === "dot") {
            state.output += NO_DOT_SLASH;
            prev.output += NO_DOT_SLASH;
          } else if (opts.dot === true) {
            state.output += NO_DOTS_SLASH;
            prev.output += NO_DOTS_SLASH;
          } else {
            state.output += nodot;
            prev.output += nodot;
          }
          if (peek() !== "*") {
            state.output += ONE_CHAR;
            prev.output += ONE_CHAR;
          }
        }
        push(token);
      }
      while (state.brackets > 0) {
        if (opts.strictBrackets === true) throw new SyntaxError(syntaxError("closing", "]"));
        state.output = utils.escapeLast(state.output, "[");
        decrement("brackets");
      }
      while (state.parens > 0) {
        if (opts.strictBrackets === true) throw new SyntaxError(syntaxError("closing", ")"));
        state.output = utils.escapeLast(state.output, "(");
        decrement("parens");
      }
      while (state.braces > 0) {
        if (opts.strictBrackets === true) throw new SyntaxError(syntaxError("closing", "}"));
        state.output = utils.escapeLast(state.output, "{");
        decrement("braces");
      }
      if (opts.strictSlashes !== true && (prev.type === "star" || prev.type === "bracket")) {
        push({ type: "maybe_slash", value: "", output: `${SLASH_LITERAL}?` });
      }
      if (state.backtrack === true) {
        state.output = "";
        for (const token of state.tokens) {
          state.output += token.output != null ? token.output : token.value;
          if (token.suffix) {
            state.output += token.suffix;
          }
        }
      }
      return state;
    };
    parse.fastpaths = (input, options) => {
      const opts = { ...options };
      const max = typeof opts.maxLength === "number" ? Math.min(MAX_LENGTH, opts.maxLength) : MAX_LENGTH;
      const len = input.length;
      if (len > max) {
        throw new SyntaxError(`Input length: ${len}, exceeds maximum allowed length: ${max}`);
      }
      input = REPLACEMENTS[input] || input;
      const {
        DOT_LITERAL,
        SLASH_LITERAL,
        ONE_CHAR,
        DOTS_SLASH,
        NO_DOT,
        NO_DOTS,
        NO_DOTS_SLASH,
        STAR,
        START_ANCHOR
      } = constants5.globChars(opts.windows);
      const nodot = opts.dot ? NO_DOTS : NO_DOT;
      const slashDot = opts.dot ? NO_DOTS_SLASH : NO_DOT;
      const capture = opts.capture ? "" : "?:";
      const state = { negated: false, prefix: "" };
      let star = opts.bash === true ? ".*?" : STAR;
      if (opts.capture) {
        star = `(${star})`;
      }
      const globstar = (opts2) => {
        if (opts2.noglobstar === true) return star;
        return `(${capture}(?:(?!${START_ANCHOR}${opts2.dot ? DOTS_SLASH : DOT_LITERAL}).)*?)`;
      };
      const create = (str) => {
        switch (str) {
          case "*":
            return `${nodot}${ONE_CHAR}${star}`;
          case ".*":
            return `${DOT_LITERAL}${ONE_CHAR}${star}`;
          case "*.*":
            return `${nodot}${star}${DOT_LITERAL}${ONE_CHAR}${star}`;
          case "*/*":
            return `${nodot}${star}${SLASH_LITERAL}${ONE_CHAR}${slashDot}${star}`;
          case "**":
            return nodot + globstar(opts);
          case "**/*":
            return `(?:${nodot}${globstar(opts)}${SLASH_LITERAL})?${slashDot}${ONE_CHAR}${star}`;
          case "**/*.*":
            return `(?:${nodot}${globstar(opts)}${SLASH_LITERAL})?${slashDot}${star}${DOT_LITERAL}${ONE_CHAR}${star}`;
          case "**/.*":
            return `(?:${nodot}${globstar(opts)}${SLASH_LITERAL})?${DOT_LITERAL}${ONE_CHAR}${star}`;
          default: {
            const match = /^(.*?)\.(\w+)$/.exec(str);
            if (!match) return;
            const source2 = create(match[1]);
            if (!source2) return;
            return source2 + DOT_LITERAL + match[2];
          }
        }
      };
      const output = utils.removePrefix(input, state);
      let source = create(output);
      if (source && opts.strictSlashes !== true) {
        source += `${SLASH_LITERAL}?`;
      }
      return source;
    };
    module.exports = parse;
  }
});

// node_modules/picomatch/lib/picomatch.js
var require_picomatch = __commonJS({
  "node_modules/picomatch/lib/picomatch.js"(exports, module) {
    "use strict";
    var scan = require_scan();
    var parse = require_parse();
    var utils = require_utils();
    var constants5 = require_constants();
    var isObject = (val) => val && typeof val === "object" && !Array.isArray(val);
    var picomatch3 = (glob, options, returnState = false) => {
      if (Array.isArray(glob)) {
        const fns = glob.map((input) => picomatch3(input, options, returnState));
        const arrayMatcher = (str) => {
          for (const isMatch of fns) {
            const state2 = isMatch(str);
            if (state2) return state2;
          }
          return false;
        };
        return arrayMatcher;
      }
      const isState = isObject(glob) && glob.tokens && glob.input;
      if (glob === "" || typeof glob !== "string" && !isState) {
        throw new TypeError("Expected pattern to be a non-empty string");
      }
      const opts = options || {};
      const posix = opts.windows;
      const regex = isState ? picomatch3.compileRe(glob, options) : picomatch3.makeRe(glob, options, false, true);
      const state = regex.state;
      delete regex.state;
      let isIgnored = () => false;
      if (opts.ignore) {
        const ignoreOpts = { ...options, ignore: null, onMatch: null, onResult: null };
        isIgnored = picomatch3(opts.ignore, ignoreOpts, returnState);
      }
      const matcher = (input, returnObject = false) => {
        const { isMatch, match, output } = picomatch3.test(input, regex, options, { glob, posix });
        const result = { glob, state, regex, posix, input, output, match, isMatch };
        if (typeof opts.onResult === "function") {
          opts.onResult(result);
        }
        if (isMatch === false) {
          result.isMatch = false;
          return returnObject ? result : false;
        }
        if (isIgnored(input)) {
          if (typeof opts.onIgnore === "function") {
            opts.onIgnore(result);
          }
          result.isMatch = false;
          return returnObject ? result : false;
        }
        if (typeof opts.onMatch === "function") {
          opts.onMatch(result);
        }
        return returnObject ? result : true;
      };
      if (returnState) {
        matcher.state = state;
      }
      return matcher;
    };
    picomatch3.test = (input, regex, options, { glob, posix } = {}) => {
      if (typeof input !== "string") {
        throw new TypeError("Expected input to be a string");
      }
      if (input === "") {
        return { isMatch: false, output: "" };
      }
      const opts = options || {};
      const format = opts.format || (posix ? utils.toPosixSlashes : null);
      let match = input === glob;
      let output = match && format ? format(input) : input;
      if (match === false) {
        output = format ? format(input) : input;
        match = output === glob;
      }
      if (match === false || opts.capture === true) {
        if (opts.matchBase === true || opts.basename === true) {
          match = picomatch3.matchBase(input, regex, options, posix);
        } else {
          match = regex.exec(output);
        }
      }
      return { isMatch: Boolean(match), match, output };
    };
    picomatch3.matchBase = (input, glob, options, posix = options && options.windows) => {
      const regex = glob instanceof RegExp ? glob : picomatch3.makeRe(glob, options);
      return regex.test(utils.basename(input, { windows: posix }));
    };
    picomatch3.isMatch = (str, patterns, options) => picomatch3(patterns, options)(str);
    picomatch3.parse = (pattern, options) => {
      if (Array.isArray(pattern)) return pattern.map((p) => picomatch3.parse(p, options));
      return parse(pattern, { ...options, fastpaths: false });
    };
    picomatch3.scan = (input, options) => scan(input, options);
    picomatch3.compileRe = (state, options, returnOutput = false, returnState = false) => {
      if (returnOutput === true) {
        return state.output;
      }
      const opts = options || {};
      const prepend = opts.contains ? "" : "^";
      const append = opts.contains ? "" : "$";
      let source = `${prepend}(?:${state.output})${append}`;
      if (state && state.negated === true) {
        source = `^(?!${source}).*$`;
      }
      const regex = picomatch3.toRegex(source, options);
      if (returnState === true) {
        regex.state = state;
      }
      return regex;
    };
    picomatch3.makeRe = (input, options = {}, returnOutput = false, returnState = false) => {
      if (!input || typeof input !== "string") {
        throw new TypeError("Expected a non-empty string");
      }
      let parsed = { negated: false, fastpaths: true };
      if (options.fastpaths !== false && (input[0] === "." || input[0] === "*")) {
        parsed.output = parse.fastpaths(input, options);
      }
      if (!parsed.output) {
        parsed = parse(input, options);
      }
      return picomatch3.compileRe(parsed, options, returnOutput, returnState);
    };
    picomatch3.toRegex = (source, options) => {
      try {
        const opts = options || {};
        return new RegExp(source, opts.flags || (opts.nocase ? "i" : ""));
      } catch (err) {
        if (options && options.debug === true) throw err;
        return /$^/;
      }
    };
    picomatch3.constants = constants5;
    module.exports = picomatch3;
  }
});

// node_modules/picomatch/index.js
var require_picomatch2 = __commonJS({
  "node_modules/picomatch/index.js"(exports, module) {
    "use strict";
    var pico = require_picomatch();
    var utils = require_utils();
    function picomatch3(glob, options, returnState = false) {
      if (options && (options.windows === null || options.windows === void 0)) {
        options = { ...options, windows: utils.isWindows() };
      }
      return pico(glob, options, returnState);
    }
    Object.assign(picomatch3, pico);
    module.exports = picomatch3;
  }
});

// src/providers/filesystem/file-thread.ts
import { parentPort, workerData } from "node:worker_threads";

// src/providers/filesystem/file-task.ts
var HEARTBEATS = 0;
var ITEMS_DONE = 1;
var STOP_REQUESTED = 2;
var IS_WORKING = 3;

// src/providers/filesystem/list-files.ts
import { lstatSync as lstatSync2, readdirSync as readdirSync2, realpathSync, statSync } from "node:fs";

// src/providers/filesystem/on-disk-spelling.ts
import { readdirSync } from "node:fs";
function assignPaths(onDisk) {
  const composed = onDisk.map((path) => path.normalize("NFC"));
  const isDecomposed = (index) => composed[index] !== onDisk[index];
  const decomposed = [...onDisk.keys()].filter(isDecomposed);
  if (decomposed.length === 0) return onDisk;
  const taken = new Set(onDisk.filter((_, index) => !isDecomposed(index)));
  const assigned = [...onDisk];
  for (const index of decomposed.sort((a, b) => comparePaths(onDisk[a] ?? "", onDisk[b] ?? ""))) {
    const path = composed[index] ?? "";
    if (taken.has(path)) continue;
    taken.add(path);
    assigned[index] = path;
  }
  return assigned;
}
function findOnDiskSpelling(folders, path) {
  let found = "";
  for (const segment of path.split("/")) {
    const name = spellingIn(folders.pathOf(found), segment);
    found = found === "" ? name : `${found}/${name}`;
  }
  return found;
}
function spellingIn(folder, segment) {
  const names = folder === void 0 ? [] : readdirSync(folder);
  if (names.includes(segment)) return segment;
  const composed = segment.normalize("NFC");
  const [first] = names.filter((name) => name.normalize("NFC") === composed).sort(comparePaths);
  return first ?? segment;
}

// src/providers/filesystem/open-folders.ts
import fs from "node:fs";
import { join } from "node:path";
var { O_DIRECTORY = 0, O_NOFOLLOW = 0, O_RDONLY } = fs.constants;
var FLAGS = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;
var DESCRIPTORS = "/proc/self/fd";
var HAS_DESCRIPTOR_PATHS = ownRules().hasProc && fs.existsSync(DESCRIPTORS);
var pathOfDescriptor = (descriptor) => `${DESCRIPTORS}/${descriptor}`;
var OpenFolders = class {
  #calls;
  #root;
  #byDescriptor;
  #last;
  /** @param root the vault's real path */
  constructor(root2, calls = fs) {
    this.#root = root2;
    this.#calls = calls;
    this.#byDescriptor = HAS_DESCRIPTOR_PATHS && ownRules().hasProc;
  }
  /**
   * A path to this very folder until the next call, even if the folder's own path leads elsewhere by then. Where a path cannot
   * go through a descriptor, it is the folder's own path, checked at each call.
   * @param folder as spelled on disk, `` for the root
   * @returns undefined if the folder is, or is reached through, a symbolic link
   * @throws system errors
   */
  pathOf(folder) {
    if (!this.#byDescriptor) return this.#isReached(folder) ? join(this.#root, folder) : void 0;
    if (this.#last?.folder !== folder) {
      this.close();
      const descriptor = this.#openAt(join(this.#root, folder)) ?? this.#openBySegments(folder);
      if (descriptor === void 0) return void 0;
      this.#last = { folder, descriptor };
    }
    return pathOfDescriptor(this.#last.descriptor);
  }
  /** Whether the file that was opened below `pathOf` of its folder is the one at `path`. */
  isConfined(path) {
    return this.#byDescriptor || this.#isReached(path);
  }
  close() {
    if (this.#last !== void 0) this.#calls.closeSync(this.#last.descriptor);
    this.#last = void 0;
  }
  #isReached(path) {
    const full = join(this.#root, path);
    return this.#calls.realpathSync.native(full).normalize("NFC") === full.normalize("NFC");
  }
  /** Undefined if the system names what it opened differently: because of a link, or of names that ignore case. */
  #openAt(path) {
    const descriptor = this.#openFolder(path);
    if (descriptor === void 0) return void 0;
    if (this.#calls.readlinkSync(pathOfDescriptor(descriptor)) === path) return descriptor;
    this.#calls.closeSync(descriptor);
    return void 0;
  }
  #openBySegments(folder) {
    let descriptor = this.#openFolder(this.#root);
    for (const segment of folder.split("/").filter(Boolean)) {
      if (descriptor === void 0) return void 0;
      descriptor = this.#openInside(descriptor, segment);
    }
    return descriptor;
  }
  /** Closes the folder above. */
  #openInside(above, name) {
    try {
      return this.#openFolder(`${pathOfDescriptor(above)}/${name}`);
    } finally {
      this.#calls.closeSync(above);
    }
  }
  /** Undefined for a symbolic link. */
  #openFolder(path) {
    try {
      return this.#calls.openSync(path, FLAGS);
    } catch (thrown) {
      if (isErrno(thrown, "ENOTDIR", "ELOOP") && this.#calls.lstatSync(path).isSymbolicLink()) return void 0;
      throw thrown;
    }
  }
};
function withOpenFolders(root2, work) {
  const folders = new OpenFolders(root2);
  try {
    return work(folders);
  } finally {
    folders.close();
  }
}

// src/providers/filesystem/read-file.ts
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from "node:fs";

// src/contracts/vault.ts
var EVERYTHING = ["**"];
function notWritable(path) {
  const instead = "The config (`vault.read`, `vault.write`) does not let this server write it; only the user can change that.";
  return new VaultgraphError("PATH_NOT_ALLOWED", { path, rule: "this server may not write it", instead });
}
var SETTINGS_FILES = Object.freeze({
  "daily-notes": ".obsidian/daily-notes.json",
  "periodic-notes": ".obsidian/plugins/periodic-notes/data.json",
  templates: ".obsidian/templates.json",
  "community-plugins": ".obsidian/community-plugins.json",
  "obsidian-tasks-plugin": ".obsidian/plugins/obsidian-tasks-plugin/data.json"
});
var MAX_SETTINGS_BYTES = 64 * 1024;

// src/providers/filesystem/path-rules.ts
var import_picomatch2 = __toESM(require_picomatch2(), 1);
import { sep } from "node:path";

// src/providers/filesystem/view-globs.ts
var import_picomatch = __toESM(require_picomatch2(), 1);
var isEverything = (globs) => globs.every((glob) => glob === EVERYTHING[0]);
var OPTIONS = { dot: true, nonegate: true };
var HIDING_OPTIONS = { ...OPTIONS, nocase: true };
var FOLDER_TAIL = /\/(?:\*\*\/?)?$/;
var WHOLE_VAULT = Object.freeze({ shows: () => true, mayHold: () => true, mayWrite: () => true });
function createView({ read: read2, write: write2 }) {
  if (isEverything([...read2, ...write2])) return WHOLE_VAULT;
  const readable = createMatcher(read2);
  const writable = createMatcher(write2);
  return Object.freeze({
    shows: readable.matches,
    mayHold: readable.mayHold,
    mayWrite: (path) => readable.matches(path) && writable.matches(path)
  });
}
function createMatcher(globs) {
  if (isEverything(globs)) return { matches: () => true, mayHold: () => true };
  const removing = globs.flatMap((glob) => glob.startsWith("!") ? spellings(glob.slice(1)) : []);
  const named = globs.filter((glob) => !glob.startsWith("!")).flatMap((glob) => spellings(withFolderContents(glob)));
  const adding = named.length === 0 ? [...EVERYTHING] : named;
  const isAdded = (0, import_picomatch.default)(adding, OPTIONS);
  const folders = removing.map((glob) => glob.replace(FOLDER_TAIL, ""));
  const isRemoved = removing.length === 0 ? () => false : (0, import_picomatch.default)([...removing, ...folders], HIDING_OPTIONS);
  const isBelowRemoved = (path) => foldersAbove(path).some((folder) => isRemoved(folder));
  const bases = adding.map((glob) => import_picomatch.default.scan(glob).base);
  const leadsToBase = (folder) => bases.some((base) => isSameOrAbove(folder, base));
  return {
    matches: (path) => isAdded(path) && !isRemoved(path) && !isBelowRemoved(path),
    mayHold: (folder) => folder === "" || leadsToBase(folder) && !isRemoved(folder) && !isBelowRemoved(folder)
  };
}
function spellings(glob) {
  const literal = glob.replace(/[()[\]{}+@!]/g, "\\$&");
  return literal === glob ? [glob] : [glob, literal];
}
var withFolderContents = (glob) => glob.endsWith("/") ? `${glob}**` : glob;
function isSameOrAbove(folder, base) {
  return base === "" || `${base}/`.startsWith(`${folder}/`) || `${folder}/`.startsWith(`${base}/`);
}

// src/providers/filesystem/path-rules.ts
var OPTIONS2 = { dot: true, nonegate: true };
var FOLDER_TAIL2 = /\/(?:\*\*\/?)?$/;
var HIDDEN_RULE = "hidden folders and files are left out";
function createExclusion(globs, view = WHOLE_VAULT) {
  const folderGlobs = globs.map((glob) => glob.replace(FOLDER_TAIL2, "")).filter((glob) => glob !== "");
  const isFile = (0, import_picomatch2.default)([...globs], OPTIONS2);
  const isFolder = (0, import_picomatch2.default)(folderGlobs, OPTIONS2);
  const excludesFile = (path) => hidesName(path) || isFile(path);
  const excludesFolder = (path) => excludesFile(path) || isFolder(path);
  const excludes = (path) => excludesFile(path) || foldersAbove(path).some(excludesFolder);
  const ruleAgainst = (path) => {
    if (!excludes(path)) return void 0;
    const hiddenName = [path, ...foldersAbove(path)].find(hidesName);
    return hiddenName === void 0 ? globRule(globs, path) : nameRule(hiddenName);
  };
  return Object.freeze({
    ...{ view, ruleAgainst },
    hides: (path) => excludes(path) || !view.shows(path),
    hidesAny: (path) => excludes(path) || !(view.shows(path) || view.mayHold(path)),
    hidesFolder: (path) => excludesFolder(path) || !view.mayHold(path),
    hidesFile: (path) => excludesFile(path) || !view.shows(path)
  });
}
function globRule(globs, path) {
  const glob = globs.find((one) => createExclusion([one]).hides(path));
  return `it is excluded by vault.exclude: ${JSON.stringify(glob)}`;
}
var nameOf = (path) => path.slice(path.lastIndexOf("/") + 1);
function nameRule(path) {
  const name = nameOf(path);
  if (name.startsWith(".")) return HIDDEN_RULE;
  return name === "node_modules" ? "node_modules is always left out" : "files ending in .tmp are always left out";
}
function hidesName(path) {
  const name = nameOf(path);
  return name.startsWith(".") || name === "node_modules" || name.endsWith(".tmp");
}
var DRIVE = /^[A-Za-z]:[\\/]/;
function brokenPathRule(path) {
  if (path === "") return "it is empty";
  if (path.includes("\0")) return "it contains a NUL character";
  if (path.startsWith("/") || DRIVE.test(path)) return "it is absolute";
  if (sep === "\\" && /[\\:]/.test(path)) return "folders are separated by `/`, and names contain no `:`";
  return path.split("/").map(brokenSegmentRule).find(Boolean);
}
function brokenSegmentRule(segment) {
  if (segment === "") return "it has an empty segment";
  if (segment === "." || segment === "..") return `it has a \`${segment}\` segment`;
  return segment.startsWith(".") ? HIDDEN_RULE : void 0;
}

// src/providers/filesystem/sync-artifacts.ts
var CLOUD_STUB = /^\.(.+)\.icloud$/;
var CONFLICT_COPY = /\((?:[^()]* )?conflicted copy(?: [^()]*)?\)|\.sync-conflict-/i;
function nameBehindStub(name) {
  return CLOUD_STUB.exec(name)?.[1];
}
function isEvicted(stats, platform = process.platform) {
  return rulesFor(platform).canEvictFiles && stats.blocks === 0 && stats.size > 0;
}
function isConflictCopy(path) {
  return CONFLICT_COPY.test(path.slice(path.lastIndexOf("/") + 1));
}

// src/providers/filesystem/read-file.ts
var MAX_FILE_BYTES = 32 * 1024 * 1024;
var OPEN_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
var BYTES_PER_READ = 1024 * 1024;
var NO_LINKS = "a symbolic link is not followed";
var BEYOND_ASCII = /[^\0-\x7f]/;
function readFile(folders, exclusion2, request, checkStop2) {
  const { path } = request;
  const rule = brokenPathRule(path) ?? exclusion2.ruleAgainst(path.normalize("NFC"));
  if (rule !== void 0) throw new VaultgraphError("PATH_NOT_ALLOWED", { path, rule });
  if (isOutside(folders, exclusion2, path.normalize("NFC"))) throw systemError(path, "ENOENT");
  try {
    return readRespelled(folders, { path, onDisk: request.onDisk ?? path }, checkStop2);
  } catch (thrown) {
    throw toItemError(path, thrown);
  }
}
function readRespelled(folders, file, checkStop2) {
  try {
    return readOnDisk(folders, file, checkStop2);
  } catch (thrown) {
    if (!isErrno(thrown, "ENOENT") || !BEYOND_ASCII.test(file.path)) throw thrown;
    return readOnDisk(folders, { path: file.path, onDisk: findOnDiskSpelling(folders, file.path) }, checkStop2);
  }
}
var linkError = (path) => new VaultgraphError("PATH_NOT_ALLOWED", { path, rule: NO_LINKS });
function toItemError(path, thrown) {
  if (thrown instanceof VaultgraphError) return thrown;
  const errno = errnoOrRethrow(thrown);
  return errno === "ELOOP" ? linkError(path) : systemError(path, errno, thrown);
}
function systemError(path, errno, cause) {
  if (errno === "ENOENT" && path.includes("\\"))
    return new VaultgraphError("PATH_NOT_ALLOWED", { path, rule: "folders are separated by `/`" });
  return new VaultgraphError("FILE_UNREADABLE", { path, errno }, { cause });
}
function isOutside(folders, { view }, path) {
  if (view.shows(path)) return false;
  return !foldersAbove(path).some((above) => view.shows(above) && !mayBeFolder(folders, above));
}
function mayBeFolder(folders, path) {
  try {
    return lstatSync(fileIn(folders, path, path)).isDirectory();
  } catch (thrown) {
    if (!(thrown instanceof VaultgraphError)) errnoOrRethrow(thrown);
    return true;
  }
}
function createdAt({ birthtimeMs }) {
  return birthtimeMs > 0 ? { createdMs: birthtimeMs } : {};
}
function readOnDisk(folders, { path, onDisk }, checkStop2) {
  const file = fileIn(folders, path, onDisk);
  checkReadable(path, lstatSync(file));
  const descriptor = openSync(file, OPEN_FLAGS);
  try {
    const stats = fstatSync(descriptor);
    checkReadable(path, stats);
    if (!folders.isConfined(onDisk)) throw linkError(path);
    const bytes = readBytes(descriptor, stats.size, checkStop2);
    return { path, bytes, sizeBytes: stats.size, modifiedMs: stats.mtimeMs, ...createdAt(stats) };
  } finally {
    closeSync(descriptor);
  }
}
function fileIn(folders, path, onDisk) {
  const slash = onDisk.lastIndexOf("/");
  const folder = folders.pathOf(slash < 0 ? "" : onDisk.slice(0, slash));
  if (folder === void 0) throw linkError(path);
  return `${folder}/${onDisk.slice(slash + 1)}`;
}
function checkReadable(path, stats) {
  if (stats.isSymbolicLink()) throw linkError(path);
  if (!stats.isFile())
    throw new VaultgraphError("FILE_UNREADABLE", { path, errno: stats.isDirectory() ? "EISDIR" : "ENXIO" });
  if (isEvicted(stats)) throw new VaultgraphError("FILE_UNREADABLE", { path, errno: "EVICTED" });
  if (stats.size > MAX_FILE_BYTES)
    throw new VaultgraphError("LIMIT_EXCEEDED", {
      field: `the size of ${path} in bytes`,
      limit: MAX_FILE_BYTES,
      actual: stats.size,
      of: "file"
    });
}
function readBytes(descriptor, size, checkStop2) {
  const bytes = new Uint8Array(size);
  let length = 0;
  while (length < size) {
    const read2 = readSync(descriptor, bytes, length, Math.min(size - length, BYTES_PER_READ), length);
    if (read2 === 0) break;
    length += read2;
    checkStop2();
  }
  return length === size ? bytes : bytes.slice(0, length);
}
function readSettings(folders, name, checkStop2) {
  const path = SETTINGS_FILES[name];
  try {
    const { size } = lstatSync(fileIn(folders, path, path));
    if (size > MAX_SETTINGS_BYTES) return { found: "fault", reason: `it is larger than ${MAX_SETTINGS_BYTES} bytes` };
    const { bytes } = readOnDisk(folders, { path, onDisk: path }, checkStop2);
    return { found: "text", text: new TextDecoder().decode(bytes) };
  } catch (thrown) {
    return settingsFault(thrown);
  }
}
function settingsFault(thrown) {
  if (isErrno(thrown, "ENOENT", "ENOTDIR")) return { found: "nothing" };
  if (!(thrown instanceof VaultgraphError))
    return { found: "fault", reason: `it cannot be read (${errnoOrRethrow(thrown)})` };
  if (thrown.code === "PATH_NOT_ALLOWED") return { found: "fault", reason: NO_LINKS };
  if (thrown.code !== "FILE_UNREADABLE") throw thrown;
  const { errno } = thrown.details;
  return { found: "fault", reason: `it cannot be read (${errno})` };
}

// src/providers/filesystem/list-files.ts
var REPLACEMENT = "\uFFFD";
var ANY_NOTE = "a.md";
function listFiles(root2, exclusion2, checkStop2, paths) {
  const before = statRoot(root2);
  const isWanted = paths === void 0 ? () => true : leadsToOneOf(paths);
  const walk = { exclusion: exclusion2, isWanted, folders: [""], files: [], skipped: [], unreadable: /* @__PURE__ */ new Map() };
  withOpenFolders(realPathOf(root2), (folders) => {
    for (let folder = walk.folders.pop(); folder !== void 0; folder = walk.folders.pop())
      walkFolder(walk, folders, folder, checkStop2);
  });
  const after = statRoot(root2);
  if (after.ino !== before.ino || after.dev !== before.dev)
    throw new VaultgraphError("VAULT_UNAVAILABLE", { errno: "ESTALE" });
  return foundFiles(walk, checkStop2);
}
function realPathOf(root2) {
  try {
    return realpathSync.native(root2);
  } catch (thrown) {
    throw new VaultgraphError("VAULT_UNAVAILABLE", { errno: errnoOrRethrow(thrown) }, { cause: thrown });
  }
}
function leadsToOneOf(paths) {
  const wanted = /* @__PURE__ */ new Set();
  for (const path of paths) {
    const segments = path.normalize("NFC").split("/");
    for (const end of segments.keys()) wanted.add(segments.slice(0, end + 1).join("/"));
  }
  return (path) => wanted.has(path);
}
function statRoot(root2) {
  try {
    const stats = statSync(root2);
    if (stats.isDirectory()) return stats;
  } catch (thrown) {
    throw new VaultgraphError("VAULT_UNAVAILABLE", { errno: errnoOrRethrow(thrown) }, { cause: thrown });
  }
  throw new VaultgraphError("VAULT_UNAVAILABLE", { errno: "ENOTDIR" });
}
function walkFolder(walk, folders, folder, checkStop2) {
  const listed = listFolder(walk, folders, folder);
  for (const entry of listed?.entries ?? []) {
    checkStop2();
    visit(walk, folder, entry, `${listed?.path}/${entry.name}`);
  }
}
function listFolder(walk, folders, folder) {
  try {
    const path = folders.pathOf(folder);
    if (path !== void 0) return { path, entries: readdirSync2(path, { withFileTypes: true }) };
  } catch (thrown) {
    const errno = errnoOrRethrow(thrown);
    if (folder === "") throw new VaultgraphError("VAULT_UNAVAILABLE", { errno }, { cause: thrown });
    if (isUnlistable(folder, errno)) skip(walk, folder, "unlistable_name");
    else addUnreadable(walk, folder, errno);
    return void 0;
  }
  if (folder === "") throw new VaultgraphError("VAULT_UNAVAILABLE", { errno: "ELOOP" });
  skip(walk, folder, "symlink");
  return void 0;
}
function visit(walk, folder, entry, file) {
  const { name } = entry;
  const onDisk = folder === "" ? name : `${folder}/${name}`;
  const path = onDisk.normalize("NFC");
  if (name.startsWith(".")) visitHidden(walk, folder, name);
  else if (!walk.isWanted(path)) return;
  else if (entry.isDirectory() ? walk.exclusion.hidesFolder(path) : walk.exclusion.hidesFile(path)) return;
  else if (entry.isDirectory()) visitFolder(walk, onDisk);
  else if (entry.isSymbolicLink()) skip(walk, onDisk, "symlink");
  else visitFile(walk, folder, onDisk, file);
}
function visitHidden(walk, folder, name) {
  const real = nameBehindStub(name);
  if (real === void 0) return;
  const onDisk = folder === "" ? real : `${folder}/${real}`;
  const path = onDisk.normalize("NFC");
  if (walk.isWanted(path) && !walk.exclusion.hidesFile(path)) skip(walk, onDisk, "evicted_stub");
}
function visitFolder(walk, onDisk) {
  if (fileKindOf(onDisk) !== "attachment") skip(walk, onDisk, "not_a_file");
  walk.folders.push(onDisk);
}
function visitFile(walk, folder, onDisk, file) {
  try {
    const stats = lstatSync2(file);
    if (stats.isFile()) walk.files.push(seenFile(onDisk, stats));
    else if (stats.isDirectory()) visitFolder(walk, onDisk);
    else skip(walk, onDisk, stats.isSymbolicLink() ? "symlink" : "not_a_file");
  } catch (thrown) {
    const errno = errnoOrRethrow(thrown);
    if (isUnlistable(onDisk, errno)) skip(walk, onDisk, "unlistable_name");
    else if (errno !== "ENOENT") addUnreadable(walk, folder, errno);
  }
}
function addUnreadable({ exclusion: exclusion2, unreadable }, folder, errno) {
  const path = folder.normalize("NFC");
  if (exclusion2.view.shows(path === "" ? ANY_NOTE : `${path}/${ANY_NOTE}`)) unreadable.set(path, errno);
}
function seenFile(onDisk, stats) {
  const { size: sizeBytes, mtimeMs: modifiedMs } = stats;
  return { onDisk, sizeBytes, modifiedMs, ...createdAt(stats), evicted: isEvicted(stats) };
}
function isUnlistable(onDisk, errno) {
  return errno === "ENOENT" && onDisk.includes(REPLACEMENT);
}
function skip(walk, onDisk, reason) {
  const path = onDisk.normalize("NFC");
  if (walk.exclusion.view.shows(path)) walk.skipped.push({ path, reason });
}
function foundFiles({ files, skipped, unreadable }, checkStop2) {
  const paths = assignPaths(files.map(({ onDisk }) => onDisk));
  const found = files.map(({ onDisk, ...stats }, index) => {
    checkStop2();
    const path = paths[index] ?? onDisk;
    const spelling2 = path === onDisk ? {} : { onDisk };
    const named = { path, kind: fileKindOf(path), conflictCopy: isConflictCopy(path) };
    return { ...named, ...stats, ...spelling2 };
  });
  const byPath = (left, right) => {
    checkStop2();
    return comparePaths(left.path, right.path);
  };
  return {
    files: found.sort(byPath),
    skipped: skipped.sort(byPath),
    unreadableFolders: [...unreadable].map(([path, errno]) => ({ path, errno })).sort(byPath)
  };
}

// src/providers/filesystem/watching/survey.ts
import {
  accessSync,
  closeSync as closeSync2,
  constants as constants2,
  lstatSync as lstatSync3,
  openSync as openSync2,
  readdirSync as readdirSync3,
  watch
} from "node:fs";
import { join as join2 } from "node:path";
function surveyVault(root2, exclusion2, checkStop2) {
  const identity = rootIdentity(root2);
  const { folders, ignored } = surveyFolder(root2, "", exclusion2, checkStop2);
  const errno = folders.has("") ? watcherFault(root2) : "EACCES";
  return { root: identity, folders, ignored, ...errno !== void 0 && { fault: errno } };
}
function inspectPaths(root2, paths, exclusion2, checkStop2) {
  return paths.map(({ path, identity: known }) => {
    checkStop2();
    const identity = exclusion2.hidesFolder(path.normalize("NFC")) ? void 0 : folderIdentity(root2, path);
    if (identity === void 0) return { path };
    if (identity === known) return { path, identity };
    const { folders, files } = surveyFolder(root2, path, exclusion2, checkStop2);
    return { path, identity, below: { folders, files } };
  });
}
function surveyFolder(root2, top, exclusion2, checkStop2) {
  const folders = /* @__PURE__ */ new Map();
  const ignored = [];
  const files = [];
  const pending = [top];
  for (let folder = pending.pop(); folder !== void 0; folder = pending.pop()) {
    const entries = entriesOf(root2, folder);
    if (entries === void 0) ignored.push(folder);
    for (const entry of entries ?? []) {
      checkStop2();
      const onDisk = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (!entry.isDirectory()) files.push(onDisk);
      else if (exclusion2.hidesFolder(onDisk.normalize("NFC"))) ignored.push(onDisk);
      else pending.push(onDisk);
    }
    const identity = entries && folderIdentity(root2, folder);
    if (identity !== void 0) folders.set(folder, identity);
  }
  return { folders, ignored, files };
}
function entriesOf(root2, folder) {
  try {
    accessSync(join2(root2, folder), constants2.R_OK | constants2.X_OK);
    return readdirSync3(join2(root2, folder), { withFileTypes: true });
  } catch (thrown) {
    errnoOrRethrow(thrown);
    return void 0;
  }
}
function folderIdentity(root2, path) {
  try {
    const stats = lstatSync3(join2(root2, path));
    return stats.isDirectory() ? identityOf(stats) : void 0;
  } catch (thrown) {
    errnoOrRethrow(thrown);
    return void 0;
  }
}
function rootIdentity(root2) {
  return identityOf(statRoot(root2));
}
var identityOf = ({ dev, ino }) => `${dev}:${ino}`;
var SPARE_DESCRIPTORS = 4;
function watcherFault(root2) {
  const opened = [];
  try {
    watch(root2).close();
    while (opened.length < SPARE_DESCRIPTORS) opened.push(openSync2(root2, "r"));
    return void 0;
  } catch (thrown) {
    return errnoOrRethrow(thrown);
  } finally {
    for (const descriptor of opened) closeSync2(descriptor);
  }
}

// src/providers/filesystem/view-checks.ts
import { existsSync, lstatSync as lstatSync4, realpathSync as realpathSync2 } from "node:fs";
import { join as join3, relative, sep as sep2 } from "node:path";
function isShown({ files }, view) {
  return files.every(({ kind, path, to = path }) => view.shows(path) && (kind !== "move" || view.shows(to)));
}
function checkWritable({ root: root2, exclusion: { view } }, path) {
  if (view === WHOLE_VAULT) return;
  const composed = path.normalize("NFC");
  if (!view.mayWrite(composed)) throw notWritable(path);
  if (!view.mayWrite(systemPath(root2, path))) throw notWritable(path);
}
function systemPath(root2, path) {
  const above = ["", ...foldersAbove(path), path];
  const existing = above.findLast((each) => existsSync(join3(root2, each))) ?? "";
  const isLinked = above.some((each) => lstatSync4(join3(root2, each), { throwIfNoEntry: false })?.isSymbolicLink());
  if (isLinked) return path.normalize("NFC");
  const known = relative(root2, realpathSync2.native(join3(root2, existing))).replaceAll(sep2, "/");
  return `${known}${path.slice(existing.length)}`.normalize("NFC");
}

// src/providers/filesystem/writing/apply-change.ts
import { join as join6 } from "node:path";

// src/providers/filesystem/writing/disk.ts
import fs2 from "node:fs";
var realDisk = fs2;
var NO_LINKS2 = ["EACCES", "EISDIR", "EMLINK", "ENOSYS", "ENOTSUP", "EOPNOTSUPP", "EPERM", "EXDEV"];
var NO_FOLDER_SYNC = ["EBADF", "EINVAL", "EISDIR", "ENOSYS", "ENOTSUP", "EOPNOTSUPP"];
function tryQuietly(work) {
  try {
    work();
    return true;
  } catch (thrown) {
    errnoOrRethrow(thrown);
    return false;
  }
}
function statsAt(disk, path) {
  try {
    return disk.lstatSync(path);
  } catch (thrown) {
    if (isErrno(thrown, "ENOENT", "ENOTDIR")) return void 0;
    throw thrown;
  }
}
function namesIn(disk, folder) {
  try {
    return disk.readdirSync(folder);
  } catch (thrown) {
    if (isErrno(thrown, "ENOENT")) return [];
    throw thrown;
  }
}
function tryLink(disk, file, name) {
  try {
    disk.linkSync(file, name);
    return true;
  } catch (thrown) {
    if (isErrno(thrown, ...NO_LINKS2)) return false;
    throw thrown;
  }
}
function rename(disk, from, to) {
  renamePatientlySync(from, to, (one, other) => disk.renameSync(one, other));
}
function removeIfPresent(disk, file) {
  disk.rmSync(file, { force: true });
}
function syncFolder(disk, folder) {
  if (!ownRules().canSyncFolders) return;
  const descriptor = disk.openSync(folder, "r");
  try {
    disk.fsyncSync(descriptor);
  } catch (thrown) {
    if (!isErrno(thrown, ...NO_FOLDER_SYNC)) throw thrown;
  } finally {
    disk.closeSync(descriptor);
  }
}

// src/providers/filesystem/writing/logged-change.ts
import { randomBytes } from "node:crypto";

// src/base/shown-path.ts
import { homedir } from "node:os";
import { sep as sep3 } from "node:path";
function shownPath(path) {
  const home = homedir() + sep3;
  return path.startsWith(home) ? `~${sep3}${path.slice(home.length)}` : path;
}

// src/providers/filesystem/writing/logged-change.ts
var CHANGE_LOG_NAME = "the change log";
var logNameAt = (folder) => `${CHANGE_LOG_NAME} in ${shownPath(folder)}`;
var LENGTH_DIGITS = 12;
var lengthField = ({ byteLength }) => Buffer.from(String(byteLength).padStart(LENGTH_DIGITS, "0"));
function serializeChange(intent, images) {
  const positions = {};
  let offset = 0;
  for (const [hash, bytes] of images) {
    positions[hash] = [offset, bytes.byteLength];
    offset += bytes.byteLength;
  }
  const json = Buffer.from(JSON.stringify({ intent, images: positions }));
  return [lengthField(json), json, ...images.values()];
}
function serializeNotice(text) {
  const bytes = Buffer.from(text);
  return [lengthField(bytes), bytes];
}
function parseChange(read2) {
  const length = Number(read2(0, LENGTH_DIGITS).toString());
  const start = LENGTH_DIGITS + length;
  try {
    const { intent, images } = JSON.parse(read2(LENGTH_DIGITS, length).toString());
    const positions = Object.entries(images).map(([hash, [offset, size]]) => [hash, [start + offset, size]]);
    return { intent, images: Object.fromEntries(positions) };
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown;
    throw damagedChange(thrown);
  }
}
function damagedChange(cause) {
  const details = { path: CHANGE_LOG_NAME, errno: "EBADMSG", step: "read", original_intact: true };
  return new VaultgraphError("FILE_WRITE_FAILED", details, { cause });
}
var PREFIX = "chg_";
var NAME = /^(chg_[0-9a-z]{9}_[0-9a-f]{6})\.(\d+)\.(begun|committed|aborting|taken_back|done)$/;
function newId(began) {
  return `${PREFIX}${began.toString(36).padStart(9, "0")}_${randomBytes(3).toString("hex")}`;
}
var beganAt = (id) => Number.parseInt(id.split("_")[1] ?? "", 36);
var fileNameOf = ({ id, bytes, stage }) => `${id}.${bytes}.${stage}`;
function parseFileName(name) {
  const [, id, bytes, stage] = NAME.exec(name) ?? [];
  return id === void 0 ? void 0 : { id, began: beganAt(id), bytes: Number(bytes), stage };
}
var isCompleted = ({ stage }) => stage === "done" || stage === "taken_back";
var isLeftover = (name) => name.startsWith(PREFIX) && parseFileName(name) === void 0;

// src/providers/filesystem/writing/disk-space.ts
function checkSpace(context, intent, images) {
  const { disk, root: root2, log } = context;
  const [vault, logDisk] = [statDisk(disk, root2), statDisk(disk, log.folder)];
  const inVault = (blockBytes) => bytesInVault(intent, images, blockBytes);
  const inLog = bytesInLog(intent, images);
  if (isOneDisk(disk, root2, log.folder)) {
    checkDisk("the change", vault, (blockBytes) => inVault(blockBytes) + inLog);
    return;
  }
  checkDisk("the change", vault, inVault);
  checkDisk(CHANGE_LOG_NAME, logDisk, () => inLog);
}
function withFreeSpace({ disk, root: root2, log }, work) {
  try {
    return work();
  } catch (thrown) {
    if (!(thrown instanceof VaultgraphError) || !isDiskFull(thrown)) throw thrown;
    const stats = statDisk(disk, thrown.details.path.startsWith(CHANGE_LOG_NAME) ? log.folder : root2);
    if (stats === void 0) throw thrown;
    const details = { ...thrown.details, free_bytes: freeBytes(stats) };
    throw new VaultgraphError("FILE_WRITE_FAILED", details, { cause: thrown });
  }
}
function isDiskFull(error) {
  if (error.code !== "FILE_WRITE_FAILED") return false;
  const { errno, free_bytes: free } = error.details;
  return errno === "ENOSPC" && free === void 0;
}
function checkDisk(path, stats, neededBytes) {
  if (stats === void 0) return;
  const [needed, free] = [neededBytes(stats.bsize), freeBytes(stats)];
  if (needed <= free) return;
  const details = { path, errno: "ENOSPC", step: "the space check", original_intact: true };
  throw new VaultgraphError("FILE_WRITE_FAILED", { ...details, free_bytes: free, needed_bytes: needed });
}
function bytesInVault({ slots, folders }, images, blockBytes) {
  const written = slots.filter(({ isCarried, respelled }) => isCarried !== true && respelled === void 0);
  const blocks = written.map(({ after }) => Math.ceil((images.get(after ?? "")?.byteLength ?? 0) / blockBytes));
  return (blocks.reduce((sum, count) => sum + count, 0) + folders.length) * blockBytes;
}
function bytesInLog(intent, images) {
  const json = Buffer.byteLength(JSON.stringify(intent));
  return [...images.values()].reduce((sum, { byteLength }) => sum + byteLength, json);
}
function statDisk(disk, folder) {
  let stats;
  tryQuietly(() => {
    stats = disk.statfsSync(folder);
  });
  return stats === void 0 || stats.blocks === 0 ? void 0 : stats;
}
var freeBytes = ({ bavail, bsize }) => bavail * bsize;
function isOneDisk(disk, ...folders) {
  return new Set(folders.map((folder) => disk.lstatSync(disk.realpathSync(folder)).dev)).size === 1;
}

// src/providers/filesystem/writing/place.ts
import { join as join4 } from "node:path";
function placeOf(vault, path) {
  checkAllowed(vault, path);
  checkWritable(vault, path);
  return placeOnDisk(vault, path);
}
function placeOnDisk(vault, path) {
  return splitPath(statsAt(vault.disk, join4(vault.root, path)) === void 0 ? spelling(vault.root, path) : path);
}
function freePlace(vault, names, path, { moved, isUndo }) {
  checkAllowed(vault, path);
  checkWritable(vault, path);
  const { folder, name } = splitPath(path);
  const known = isUndo ? void 0 : new Set(moved?.folder.split("/"));
  const onDisk = folderOnDisk(vault, names, path, folder, known);
  const isNewName = moved?.name !== name;
  if (!isUndo) checkPortable(path, isNewName ? name : void 0, moved);
  const isMoved = (other) => isNewName && moved?.folder === onDisk && moved.name === other;
  const isTaken = (other) => isUndo ? other === name : !isMoved(other);
  const [twin] = names.twinsOf(onDisk, name).filter(isTaken);
  if (twin !== void 0) throw twinError(vault, path, { folder: onDisk, name: twin });
  return { folder: onDisk, name };
}
function nameTaken(place) {
  return new VaultgraphError("NOTE_EXISTS", { path: pathOf(place).normalize("NFC") });
}
function twinError({ exclusion: exclusion2 }, path, twin) {
  return exclusion2.view.shows(pathOf(twin).normalize("NFC")) ? nameTaken(twin) : notWritable(path);
}
var pathOf = ({ folder, name }) => folder === "" ? name : `${folder}/${name}`;
function splitPath(path) {
  const at = path.lastIndexOf("/");
  return { folder: at < 0 ? "" : path.slice(0, at), name: path.slice(at + 1) };
}
var refused = (path, rule) => new VaultgraphError("PATH_NOT_ALLOWED", { path, rule });
function checkAllowed({ exclusion: exclusion2 }, path) {
  const rule = brokenPathRule(path) ?? exclusion2.ruleAgainst(path.normalize("NFC"));
  if (rule !== void 0) throw refused(path, rule);
}
function checkPortable(path, name, moved) {
  const isLonger = moved === void 0 || path.length > pathOf(moved).length;
  const rule = (name === void 0 ? void 0 : unportableNameRule(name)) ?? (isLonger ? unportablePathRule(path) : void 0);
  if (rule !== void 0) throw refused(path, rule);
}
function folderOnDisk(vault, names, path, folder, known) {
  let found = "";
  for (const segment of folder === "" ? [] : folder.split("/")) {
    const twins = names.twinsOf(found, segment);
    const name = existingName(
      twins,
      segment,
      path,
      (other) => mayBeSeen(vault, pathOf({ folder: found, name: other }))
    );
    const isNew = name === void 0 && known?.has(segment) === false;
    const rule = isNew ? unportableNameRule(segment) : void 0;
    if (rule !== void 0) throw refused(path, rule);
    found = pathOf({ folder: found, name: name ?? segment });
    const stats = statsAt(vault.disk, join4(vault.root, found));
    if (stats !== void 0 && !stats.isDirectory())
      throw refused(path, "its folder is a symbolic link or not a folder");
  }
  return found;
}
var mayBeSeen = ({ exclusion: exclusion2 }, folder) => exclusion2.view.mayHold(folder.normalize("NFC"));
function existingName(twins, segment, path, maySee) {
  const isNormalized = (other2) => other2.normalize("NFC") === segment.normalize("NFC");
  const name = twins.find((other2) => other2 === segment) ?? twins.find(isNormalized);
  const [other] = twins;
  if (name === void 0 && other !== void 0 && !maySee(other)) throw notWritable(path);
  if (name === void 0 && other !== void 0)
    throw refused(path, `its folder is spelled ${JSON.stringify(other.normalize("NFC"))} on disk`);
  return name;
}
function spelling(root2, path) {
  try {
    return withOpenFolders(root2, (folders) => findOnDiskSpelling(folders, path));
  } catch (thrown) {
    if (isErrno(thrown, "ENOENT", "ENOTDIR")) return path;
    throw thrown;
  }
}
var foldCase = (name) => name.normalize("NFC").toLowerCase();
function readNames({ disk, root: root2 }) {
  const known = /* @__PURE__ */ new Map();
  const namesIn3 = (folder) => statsAt(disk, join4(root2, folder)) === void 0 ? [] : disk.readdirSync(join4(root2, folder));
  return {
    twinsOf(folder, name) {
      const names = known.get(folder) ?? Map.groupBy(namesIn3(folder), foldCase);
      known.set(folder, names);
      return names.get(foldCase(name)) ?? [];
    }
  };
}
function* numberedNames(name) {
  const dot = name.lastIndexOf(".");
  const [stem, extension] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ""];
  yield name;
  for (let number = 1; ; number += 1) yield `${stem} ${number}${extension}`;
}
var TRASH = ".trash";
function freeInTrash({ disk, root: root2 }, assigned, { folder, name }) {
  const trashFolder = folder === "" ? TRASH : `${TRASH}/${folder}`;
  for (const free of numberedNames(name)) {
    const place = { folder: trashFolder, name: free };
    const path = pathOf(place);
    if (assigned.has(foldCase(path)) || statsAt(disk, join4(root2, path)) !== void 0) continue;
    assigned.add(foldCase(path));
    return place;
  }
  throw new VaultgraphError("INTERNAL", { kind: "no name is free in the trash" });
}
function trashedPlace(path) {
  const rule = path.startsWith(`${TRASH}/`) ? brokenPathRule(path.slice(TRASH.length + 1)) : "it is not in the trash";
  if (rule !== void 0) throw refused(path, rule);
  return splitPath(path);
}
function emptiedFolder(vault, path) {
  if (path === TRASH) return path;
  if (path.startsWith(`${TRASH}/`)) return pathOf(trashedPlace(path));
  checkAllowed(vault, path);
  return pathOf(placeOnDisk(vault, path));
}
var WINDOWS_DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/i;
var INVALID_ON_WINDOWS = /[<>:"|?*\\]/;
var INVALID_IN_LINKS = /[#^[\]]/;
var CONTROL = /[\u0000-\u001f\u007f-\u009f]/;
var DIRECTION_CONTROLS = /[\u202a-\u202e\u2066-\u2069]/;
var MAX_NAME_BYTES = 255;
var MAX_PATH_LENGTH = 200;
function unportablePathRule(path) {
  return path.length > MAX_PATH_LENGTH ? `it is longer than ${MAX_PATH_LENGTH} characters, which can be too long for Windows` : void 0;
}
function unportableNameRule(name) {
  if (!name.isWellFormed()) return "it contains half of a surrogate pair";
  if (name !== name.normalize("NFC")) return "it is not in composed Unicode (NFC)";
  if (CONTROL.test(name)) return "it contains a control character";
  if (DIRECTION_CONTROLS.test(name))
    return "a new name may not contain the controls of the reading direction (U+202A to U+202E, U+2066 to U+2069)";
  if (INVALID_ON_WINDOWS.test(name)) return 'a name contains one of < > : " | ? * \\, which Windows does not allow';
  if (INVALID_IN_LINKS.test(name)) return "a name contains one of # ^ [ ], which links cannot contain";
  if (/[. ]$/.test(name)) return "a name ends with a dot or a space, which Windows drops";
  if (name.startsWith(" ")) return "a name begins with a space";
  if (WINDOWS_DEVICE.test(name)) return "a name is reserved by Windows";
  if (Buffer.byteLength(name) > MAX_NAME_BYTES) return `a name is longer than ${MAX_NAME_BYTES} bytes`;
  return void 0;
}

// src/providers/filesystem/writing/folder-handle.ts
var NOT_A_FOLDER = ["ENOTDIR", "ELOOP"];
function inFolder(vault, folder, work) {
  const handle = openFolder(vault, folder);
  try {
    return work(handle);
  } finally {
    handle?.close();
  }
}
function inCreatedFolder(vault, folder, work) {
  return inFolder(vault, folder, (handle) => {
    if (handle !== void 0) return work(handle);
    createFolder(vault, folder);
    return inCreatedFolder(vault, folder, work);
  });
}
function createFolder(vault, path) {
  const { folder, name } = splitPath(path);
  inCreatedFolder(vault, folder, (parent) => {
    const stats = statsAt(vault.disk, parent.at(name));
    if (stats === void 0) vault.disk.mkdirSync(parent.at(name));
    else if (!stats.isDirectory()) throw notAFolder(path);
    parent.sync();
  });
}
function openFolder(vault, folder) {
  const folders = new OpenFolders(vault.root, vault.disk);
  try {
    const path = pathIn(folders, folder);
    vault.checkRoot();
    if (path !== void 0) return handleOf(vault.disk, folders, folder);
  } catch (thrown) {
    folders.close();
    throw thrown;
  }
  folders.close();
  return void 0;
}
function pathIn(folders, folder) {
  try {
    return checkedPath(folders, folder);
  } catch (thrown) {
    if (isErrno(thrown, "ENOENT")) return void 0;
    if (isErrno(thrown, ...NOT_A_FOLDER)) throw notAFolder(folder);
    throw thrown;
  }
}
function handleOf(disk, folders, folder) {
  return {
    at: (name) => `${checkedPath(folders, folder)}/${name}`,
    sync: () => syncFolder(disk, checkedPath(folders, folder)),
    close: () => folders.close()
  };
}
function checkedPath(folders, folder) {
  const path = folders.pathOf(folder);
  if (path === void 0) throw notAFolder(folder);
  return path;
}
var notAFolder = (path) => new VaultgraphError("PATH_NOT_ALLOWED", { path, rule: "its folder is a symbolic link or not a folder" });

// src/providers/filesystem/writing/inverse-change.ts
var MAX_RECENT = 5;
function listChanges(log, limit, isListed = isCompleted) {
  const changes = [];
  for (const { change } of changesOf(log, isListed)) {
    if (changes.length >= limit) break;
    changes.push(change);
  }
  return changes;
}
function inverseOf(log, id, view) {
  const { change, folders } = findUndoable(within(log, view), id);
  const operations = change.files.map((file) => inverseOperation(log, change.id, file));
  return { change, operations, emptied: folders.toReversed() };
}
function checkNotUndone(log, id, view) {
  findUndoable(within(log, view), id);
}
function* changesOf(log, isListed) {
  const undoneById = /* @__PURE__ */ new Map();
  for (const { id, stage } of log.entries().filter(isListed)) {
    const intent = log.intent(id);
    if (intent === void 0 || log.view !== void 0 && !isShown(intent, log.view)) continue;
    const { slots: _slots, emptied: _emptied, folders, ...about } = intent;
    const undoneBy = undoneById.get(id);
    const state = stage === "done" || stage === "taken_back" ? stage : "unfinished";
    if (state === "done" && about.undoes !== void 0) undoneById.set(about.undoes, id);
    yield { change: { ...about, state, ...undoneBy === void 0 ? {} : { undoneBy } }, folders };
  }
}
function within(log, view) {
  return { entries: () => log.entries(), intent: (id) => log.intent(id), ...view && { view } };
}
function findUndoable(log, id) {
  const mayExist = id === void 0 || log.entries().some((entry) => entry.id === id);
  const recent = [];
  for (const listed of changesOf(log, isCompleted)) {
    const { change } = listed;
    if (change.state !== "done" || change.undoneBy !== void 0) continue;
    if (id === void 0 ? change.undoes === void 0 : change.id === id) return listed;
    if (recent.length < MAX_RECENT) recent.push(change.id);
    else if (!mayExist) break;
  }
  throw new VaultgraphError("CHANGE_NOT_FOUND", { id: id ?? "", recent });
}
function inverseOperation(log, id, { kind, path, to, before, after }) {
  const oldBytes = () => {
    const bytes = log.findImage(id, before ?? "");
    if (bytes === void 0) throw new VaultgraphError("CHANGE_NOT_FOUND", { id, recent: [] });
    return bytes;
  };
  switch (kind) {
    case "create":
      return { kind: "remove", path, before: after ?? "" };
    case "restore":
      return { kind: "trash", path, before: after ?? "" };
    case "replace":
      return { kind: "replace", path, before: after ?? "", bytes: oldBytes() };
    case "move": {
      const back = { kind: "move", path: to ?? "", to: path, before: after ?? "" };
      return before === after ? back : { ...back, bytes: oldBytes() };
    }
    case "trash":
      return { kind: "restore", path, bytes: oldBytes(), trashed: to ?? "" };
    case "remove":
      return { kind: "create", path, bytes: oldBytes() };
  }
}

// src/providers/filesystem/writing/plan-operation.ts
import { constants as constants3 } from "node:fs";
import { join as join5 } from "node:path";

// src/providers/filesystem/writing/file-content.ts
var NOT_A_FILE = "not a file";
var EMPTY_FILE = contentHashOf([]);
var PERMISSIONS = 511;
function hashOf(disk, file, path, heartbeat2) {
  const stats = statsAt(disk, file);
  if (stats === void 0) return null;
  if (!stats.isFile()) return NOT_A_FILE;
  if (isEvicted(stats)) throw new VaultgraphError("FILE_UNREADABLE", { path, errno: "EVICTED" });
  const descriptor = disk.openSync(file, OPEN_FLAGS);
  try {
    return contentHashOf(chunksOf(disk, descriptor, stats.size, heartbeat2));
  } finally {
    disk.closeSync(descriptor);
  }
}
function* chunksOf(disk, descriptor, size, heartbeat2) {
  const chunk = new Uint8Array(Math.min(BYTES_PER_READ, size + 1));
  for (let read2 = -1; read2 !== 0; ) {
    read2 = disk.readSync(descriptor, chunk);
    heartbeat2();
    yield chunk.subarray(0, read2);
  }
}
function isSameFile(disk, one, other) {
  const left = identityOf2(disk, one);
  return left !== void 0 && left === identityOf2(disk, other);
}
function identityOf2(disk, path) {
  if (statsAt(disk, path) === void 0) return void 0;
  const { dev, ino } = disk.lstatSync(path, { bigint: true });
  return `${dev}:${ino}`;
}
var ownershipOf = ({ mode, uid, gid }) => ({ mode: mode & PERMISSIONS, uid, gid });
function createDurably(disk, file, parts, ownership = {}, checkStop2 = () => void 0) {
  const descriptor = disk.openSync(file, "wx");
  try {
    setOwnership(disk, descriptor, ownership);
    for (const part of parts) {
      checkStop2();
      writeAll(disk, descriptor, part);
    }
    disk.fsyncSync(descriptor);
  } finally {
    disk.closeSync(descriptor);
  }
}
function writeAll(disk, descriptor, bytes) {
  for (let done = 0; done < bytes.byteLength; )
    done += disk.writeSync(descriptor, bytes, done, bytes.byteLength - done);
}
function setOwnership(disk, descriptor, { mode, uid, gid }) {
  const now = disk.fstatSync(descriptor);
  const [user, group] = [uid ?? now.uid, gid ?? now.gid];
  if (user !== now.uid || group !== now.gid) tryQuietly(() => disk.fchownSync(descriptor, user, group));
  if (mode !== void 0 && mode !== (now.mode & PERMISSIONS)) disk.fchmodSync(descriptor, mode);
}
function withOpenFile(disk, file, work) {
  const descriptor = disk.openSync(file, "r");
  try {
    return work((offset, length) => {
      const bytes = Buffer.alloc(length);
      let done = 0;
      for (let read2 = -1; read2 !== 0 && done < length; done += read2)
        read2 = disk.readSync(descriptor, bytes, done, length - done, offset + done);
      return bytes.subarray(0, done);
    });
  } finally {
    disk.closeSync(descriptor);
  }
}

// src/providers/filesystem/writing/slot.ts
var oppositeHash = (slot, side) => side === "after" ? slot.before : slot.after;
function hashAt(slot, name, folder, context) {
  if (folder === void 0) return null;
  return hashOf(context.vault.disk, folder.at(name), slot.path, context.vault.heartbeat);
}
function conflict(path, expected, found) {
  if (found === NOT_A_FILE) return new VaultgraphError("PATH_NOT_ALLOWED", { path, rule: "it is not a regular file" });
  if (expected === null && found !== null) return new VaultgraphError("NOTE_EXISTS", { path, etag: found });
  const ifMatch = expected === null ? {} : { if_match: expected };
  return new VaultgraphError("WRITE_CONFLICT", {
    path,
    ...ifMatch,
    ...found === null ? {} : { current_etag: found }
  });
}
function isConflict(thrown) {
  return thrown instanceof VaultgraphError && ["WRITE_CONFLICT", "NOTE_EXISTS", "PATH_NOT_ALLOWED"].includes(thrown.code);
}

// src/providers/filesystem/writing/plan-operation.ts
function planOperation(planning, operation) {
  switch (operation.kind) {
    case "create":
      return planCreate(planning, operation);
    case "restore":
      return planRestore(planning, operation);
    case "replace":
      return planReplace(planning, operation);
    case "move":
      return planMove(planning, operation);
    case "trash":
      return planTrash(planning, operation);
    case "remove":
      return planRemove(planning, operation);
  }
}
function planCreate({ context, names, isUndo, formerOwnership }, { kind, path, bytes }) {
  checkKind(path);
  const after = contentHash(bytes);
  const slot = {
    path,
    place: freePlace(context, names, path, { isUndo }),
    before: null,
    after,
    ...formerOwnership(path)
  };
  return { slots: [slot], file: { kind, path, before: null, after }, bytes: [bytes] };
}
function planReplace({ context }, { kind, path, before, bytes }) {
  checkKind(path);
  const place = placeOf(context, path);
  const old = readBefore(context, path, place, before);
  checkWritable2(context, path, place);
  const after = contentHash(bytes);
  const slot = { path, place, before, after, owned: ownershipAt(context, place) };
  return { slots: [slot], file: { kind, path, before, after }, bytes: [old, bytes] };
}
function planMove(planning, operation) {
  const { context, names, isUndo } = planning;
  const { kind, path, to, bytes } = operation;
  if (fileKindOf(path) !== fileKindOf(to)) throw refused2(to, "a file that moves keeps its kind");
  const from = placeOf(context, path);
  const place = freePlace(context, names, to, { moved: from, isUndo });
  const before = hashBefore(context, path, from, operation.before);
  const after = bytes === void 0 ? before : contentHash(bytes);
  const isChanged = after !== before;
  if (isChanged) checkWritable2(context, path, from);
  const isCarried = !isChanged && isOneVolume(context, from, place);
  const old = isCarried ? void 0 : readBefore(context, path, from, before);
  const slots = isOneFile(context, from, place) ? respell(context, { path, to, before, after }, from, place) : transfer(context, { path, to, before, after }, from, place, isCarried);
  return { slots, file: { kind, path, to, before, after }, bytes: old === void 0 ? [] : [old, bytes ?? old] };
}
function transfer(context, { path, to, before, after }, from, place, isCarried) {
  const owned = ownershipAt(context, from);
  return [
    { path: to, place, before: null, after, owned, partner: from, isCarried },
    { path, place: from, before, after: null, owned, partner: place, isCarried }
  ];
}
function respell(context, { path, to, before, after }, from, place) {
  const edit = before === after ? [] : [{ path, place: from, before, after, owned: ownershipAt(context, from) }];
  return [...edit, { path: to, place, before: after, after, respelled: from.name }];
}
function isOneFile({ disk, root: root2 }, from, to) {
  const isRespelling = from.folder === to.folder && foldCase(from.name) === foldCase(to.name);
  return isRespelling && isSameFile(disk, join5(root2, pathOf(from)), join5(root2, pathOf(to)));
}
function planTrash(planning, { kind, path, before }) {
  const { context } = planning;
  const from = placeOf(context, path);
  const old = readBefore(context, path, from, before);
  const place = freeInTrash(context, planning.trashed, from);
  const to = pathOf(place);
  const slots = transfer(context, { path, to, before, after: before }, from, place, isOneVolume(context, from, place));
  return { slots, file: { kind, path, to, before, after: null }, bytes: [old] };
}
function planRestore({ context, names, formerOwnership }, { kind, path, bytes, trashed }) {
  const after = contentHash(bytes);
  const place = freePlace(context, names, path, { isUndo: true });
  const from = trashedPlace(trashed);
  const file = { kind, path, before: null, after };
  const isUntouched = hashFound(context, trashed, from) === after;
  const slots = isUntouched ? transfer(
    context,
    { path: trashed, to: path, before: after, after },
    from,
    place,
    isOneVolume(context, from, place)
  ) : [{ path, place, before: null, after, ...formerOwnership(path) }];
  return { slots, file, bytes: [bytes] };
}
function planRemove({ context }, { kind, path, before }) {
  const place = placeOf(context, path);
  const old = readBefore(context, path, place, before);
  const slot = { path, place, before, after: null, owned: ownershipAt(context, place) };
  return { slots: [slot], file: { kind, path, before, after: null }, bytes: [old] };
}
function checkKind(path) {
  if (fileKindOf(path) === "attachment") throw refused2(path, "it is not a note, canvas or base");
}
var refused2 = (path, rule) => new VaultgraphError("PATH_NOT_ALLOWED", { path, rule });
var ANY_WRITE_BIT = 146;
function readBefore(context, path, place, before) {
  const bytes = readNow(context, path, place, before);
  const found = contentHash(bytes);
  if (found !== before) throw conflict(path, before, found);
  return bytes;
}
function readNow(context, path, place, before) {
  try {
    return withOpenFolders(
      context.root,
      (folders) => readFile(folders, context.exclusion, { path, onDisk: pathOf(place) }, context.checkStop)
    ).bytes;
  } catch (thrown) {
    hashBefore(context, path, place, before);
    throw thrown;
  }
}
function hashBefore(context, path, place, before) {
  const found = hashFound(context, path, place);
  if (found === null && path.includes("\\"))
    throw new VaultgraphError("PATH_NOT_ALLOWED", { path, rule: "folders are separated by `/`" });
  if (found === null && before === void 0) throw new VaultgraphError("FILE_UNREADABLE", { path, errno: "ENOENT" });
  const isOther = before !== void 0 && found !== before;
  if (found === null || found === NOT_A_FILE || isOther) throw conflict(path, before ?? null, found);
  return found;
}
function hashFound(context, path, place) {
  return inFolder(context, place.folder, (folder) => {
    try {
      return folder === void 0 ? null : hashOf(context.disk, folder.at(place.name), path, context.checkStop);
    } catch (thrown) {
      if (thrown instanceof VaultgraphError) throw thrown;
      throw new VaultgraphError("FILE_UNREADABLE", { path, errno: errnoOrRethrow(thrown) }, { cause: thrown });
    }
  });
}
function checkWritable2({ disk, root: root2 }, path, place) {
  const file = join5(root2, pathOf(place));
  disk.accessSync(file, constants3.W_OK);
  if ((disk.lstatSync(file).mode & ANY_WRITE_BIT) !== 0) return;
  const details = { path, errno: "EACCES", step: "access", original_intact: true };
  throw new VaultgraphError("FILE_WRITE_FAILED", details);
}
function ownershipAt({ disk, root: root2 }, place) {
  return ownershipOf(disk.lstatSync(join5(root2, pathOf(place))));
}
function isOneVolume({ disk, root: root2 }, from, to) {
  let { folder } = to;
  while (folder !== "" && statsAt(disk, join5(root2, folder)) === void 0) folder = splitPath(folder).folder;
  return disk.lstatSync(join5(root2, pathOf(from))).dev === disk.lstatSync(join5(root2, folder)).dev;
}

// src/providers/filesystem/writing/scratch-names.ts
function scratchNames(id, number) {
  const stem = `.vaultgraph-${id}-${number}`;
  return { temporary: `${stem}.tmp`, backup: `${stem}.old.tmp`, reservation: `${stem}.new.tmp` };
}
var BACKUP = /^\.vaultgraph-(chg_[0-9a-z]+_[0-9a-f]+)-\d+\.old\.tmp$/;
var MAX_BACKUP_MS = 6e4;
function isRecentBackup(name, now) {
  const [, id] = BACKUP.exec(name) ?? [];
  return id !== void 0 && Math.abs(now - beganAt(id)) < MAX_BACKUP_MS;
}

// src/providers/filesystem/writing/write-new.ts
function writeNew(slot, side, wanted, folder, context) {
  if (slot.partner !== void 0 && slot.isCarried)
    return moveFromPartner(slot, slot.partner, side, wanted, folder, context);
  const temporary = folder.at(context.temporary);
  writeTemporary(slot, wanted, folder, context);
  if (linkOrRename(temporary, folder, slot.place.name, context)) context.vault.disk.unlinkSync(temporary);
  return false;
}
function writeTemporary(slot, hash, folder, context) {
  const { vault, temporary, bytesOf } = context;
  const file = folder.at(temporary);
  if (hashOf(vault.disk, file, slot.path, vault.heartbeat) === hash) return;
  removeIfPresent(vault.disk, file);
  createDurably(vault.disk, file, [bytesOf(hash)], slot.owned);
}
function moveFromPartner(slot, partner, side, wanted, folder, context) {
  const { disk, heartbeat: heartbeat2 } = context.vault;
  return inFolder(context.vault, partner.folder, (from) => {
    const file = from?.at(partner.name);
    const found = file === void 0 ? null : hashOf(disk, file, slot.path, heartbeat2);
    const isExpected = found === wanted || side === "before" && found !== null && found !== NOT_A_FILE;
    if (file === void 0 || !isExpected) throw conflict(pathOf(partner), wanted, found);
    return !linkOrRename(file, folder, slot.place.name, context);
  });
}
function linkOrRename(file, folder, name, context) {
  const { disk } = context.vault;
  const isAlreadyReserved = isReserved(folder, name, context);
  if (!isAlreadyReserved && tryLink(disk, file, folder.at(name))) return true;
  if (!isAlreadyReserved) reserve(disk, folder.at(context.reservation), folder.at(name));
  rename(disk, file, folder.at(name));
  removeIfPresent(disk, folder.at(context.reservation));
  return false;
}
function reserve(disk, marker, target) {
  disk.closeSync(disk.openSync(marker, "w"));
  try {
    disk.closeSync(disk.openSync(target, "wx"));
  } catch (thrown) {
    removeIfPresent(disk, marker);
    throw thrown;
  }
}
function isReserved(folder, name, { vault, reservation }) {
  if (statsAt(vault.disk, folder.at(reservation)) === void 0) return false;
  return hashOf(vault.disk, folder.at(name), name, vault.heartbeat) === EMPTY_FILE;
}

// src/providers/filesystem/writing/apply-file.ts
var NAMES_WHILE_REPLACED = 2;
function applyFile(slot, side, context) {
  try {
    if (slot.respelled === void 0) return applyContent(slot, side, context);
    applySpelling(slot, slot.respelled, side, context);
    return false;
  } catch (thrown) {
    if (!isErrno(thrown, "ENOENT")) throw thrown;
    context.vault.checkRoot();
    throw conflict(slot.path, oppositeHash(slot, side), null);
  }
}
function isPending(slot, context) {
  const { place, before, after, respelled, isCarried = false } = slot;
  const { vault, temporary, reservation } = context;
  return inFolder(vault, place.folder, (folder) => {
    if (folder === void 0) return false;
    if (respelled !== void 0) return namesIn2(folder, context).includes(respelled);
    const exists = (name) => statsAt(vault.disk, folder.at(name)) !== void 0;
    if (after !== null) return exists(reservation) || exists(temporary) && !isCarried;
    if (hashAt(slot, place.name, folder, context) === before) return true;
    return isCarried && inspectPartner(folder.at(place.name), slot, context).isSame;
  });
}
function applyContent(slot, side, context) {
  const { vault } = context;
  return inFolder(vault, slot.place.folder, (folder) => {
    if (folder !== void 0) return applyIn(folder, slot, side, context);
    if (slot[side] === null) return false;
    if (oppositeHash(slot, side) !== null) throw conflict(slot.path, oppositeHash(slot, side), null);
    return inCreatedFolder(vault, slot.place.folder, (created) => applyIn(created, slot, side, context));
  });
}
function applyIn(folder, slot, side, context) {
  const [wanted, opposite] = [slot[side], oppositeHash(slot, side)];
  restoreLateEdit(folder, slot, side, context);
  const now = hashAt(slot, slot.place.name, folder, context);
  const isFree = now === null || isReserved(folder, slot.place.name, context);
  if (wanted !== null && opposite === null && isFree && now !== wanted)
    return writeNew(slot, side, wanted, folder, context);
  if (wanted !== null && now === opposite && now !== wanted) replaceFile(folder, slot, side, wanted, context);
  else if (wanted === null && now !== null) removeOld(folder, slot, side, now, context);
  else if (now !== wanted) throw conflict(slot.path, opposite, now);
  removeScratchFiles(folder, context);
  return false;
}
function replaceFile(folder, slot, side, wanted, context) {
  const { disk } = context.vault;
  const expected = oppositeHash(slot, side);
  const [target, backup] = [folder.at(slot.place.name), folder.at(context.backup)];
  writeTemporary(slot, wanted, folder, context);
  const hasBackup = tryLink(disk, target, backup);
  const found = hashAt(slot, hasBackup ? context.backup : slot.place.name, folder, context);
  if (found !== expected || hasBackup && (!isSameFile(disk, backup, target) || isBeingReplaced(folder, context))) {
    removeIfPresent(disk, backup);
    throw conflict(slot.path, expected, hashAt(slot, slot.place.name, folder, context));
  }
  rename(disk, folder.at(context.temporary), target);
  restoreLateEdit(folder, slot, side, context);
}
function isBeingReplaced(folder, { vault, backup }) {
  const { disk } = vault;
  if (disk.lstatSync(folder.at(backup)).nlink <= NAMES_WHILE_REPLACED) return false;
  const others = disk.readdirSync(folder.at(".")).filter((name) => name !== backup && isRecentBackup(name, Date.now()));
  return others.some((name) => isSameFile(disk, folder.at(name), folder.at(backup)));
}
function applySpelling(slot, respelled, side, context) {
  const { disk } = context.vault;
  const [from, to] = side === "after" ? [respelled, slot.place.name] : [slot.place.name, respelled];
  inFolder(context.vault, slot.place.folder, (folder) => {
    const names = folder === void 0 ? [] : namesIn2(folder, context);
    if (names.includes(to) && !names.includes(from)) return;
    if (names.includes(to)) throw conflict(slot.path, null, hashAt(slot, to, folder, context));
    const now = hashAt(slot, from, folder, context);
    if (now !== slot.before || folder === void 0) throw conflict(slot.path, slot.before, now);
    rename(disk, folder.at(from), folder.at(to));
  });
}
var namesIn2 = (folder, { vault }) => vault.disk.readdirSync(folder.at("."));
function cleanUpFile(slot, context) {
  inFolder(context.vault, slot.place.folder, (folder) => {
    if (folder === void 0) return;
    restoreLateEdit(folder, slot, "before", context);
    removeScratchFiles(folder, context);
  });
}
function removeScratchFiles(folder, { vault, temporary, reservation }) {
  for (const name of [temporary, reservation]) removeIfPresent(vault.disk, folder.at(name));
}
function removeOld(folder, slot, side, now, context) {
  const { disk } = context.vault;
  const target = folder.at(slot.place.name);
  if (isReserved(folder, slot.place.name, context)) disk.unlinkSync(target);
  else if (canRemove(target, slot, side, now, context)) rename(disk, target, folder.at(context.backup));
  else throw conflict(slot.path, oppositeHash(slot, side), now);
  restoreLateEdit(folder, slot, side, context);
}
function canRemove(file, slot, side, now, context) {
  const isExpected = now === oppositeHash(slot, side) && !context.mustKeep;
  if (side === "after") return isExpected && isAtPartner(slot, now, context);
  return isExpected || slot.isCarried === true && inspectPartner(file, slot, context).isSame;
}
function isAtPartner(slot, now, context) {
  if (slot.partner === void 0) return true;
  const { hash } = inspectPartner("", slot, context);
  return slot.isCarried === true ? hash === now : hash !== null;
}
function restoreLateEdit(folder, slot, side, context) {
  const { disk } = context.vault;
  const [target, backup] = [folder.at(slot.place.name), folder.at(context.backup)];
  const found = hashAt(slot, context.backup, folder, context);
  if (found === null) return;
  if (isSameFile(disk, backup, target) || canDiscard(backup, slot, side, found, context)) {
    disk.unlinkSync(backup);
    return;
  }
  const now = hashAt(slot, slot.place.name, folder, context);
  if (now !== null && (now === slot.before || now === slot.after)) rename(disk, backup, target);
  else saveUnderFreeName(folder, slot.place.name, context);
  throw conflict(slot.path, oppositeHash(slot, side), found);
}
function canDiscard(backup, slot, side, found, context) {
  const isKnown = found === slot.before || found === slot.after;
  if (side === "after") return isKnown && (slot.after !== null || isAtPartner(slot, found, context));
  return isKnown || slot.isCarried === true && inspectPartner(backup, slot, context).isSame;
}
function saveUnderFreeName(folder, name, context) {
  const { disk } = context.vault;
  for (const free of numberedNames(name)) {
    if (statsAt(disk, folder.at(free)) !== void 0) continue;
    if (linkOrRename(folder.at(context.backup), folder, free, context)) disk.unlinkSync(folder.at(context.backup));
    return;
  }
}
function inspectPartner(file, slot, context) {
  const { vault } = context;
  const { partner } = slot;
  if (partner === void 0) return { isSame: false, hash: null };
  return inFolder(vault, partner.folder, (folder) => ({
    isSame: folder !== void 0 && isSameFile(vault.disk, file, folder.at(partner.name)),
    hash: hashAt(slot, partner.name, folder, context)
  }));
}

// src/providers/filesystem/writing/write-context.ts
function slotContext(context, { id }, number, mustKeep = false) {
  return { vault: context, ...scratchNames(id, number), bytesOf: (hash) => context.log.image(id, hash), mustKeep };
}
function wrapFsError(path, work) {
  try {
    return work();
  } catch (thrown) {
    if (thrown instanceof VaultgraphError) throw thrown;
    const errno = errnoOrRethrow(thrown);
    const cause = { cause: thrown };
    if (path !== void 0 && errno === "EEXIST") throw new VaultgraphError("NOTE_EXISTS", { path }, cause);
    if (path !== void 0 && errno === "ELOOP")
      throw new VaultgraphError("PATH_NOT_ALLOWED", { path, rule: "a symbolic link is not followed" }, cause);
    const details = { path: path ?? CHANGE_LOG_NAME, errno, step: syscallOf(thrown), original_intact: true };
    throw new VaultgraphError("FILE_WRITE_FAILED", details, cause);
  }
}
function wrapLogError(folder, work) {
  try {
    return wrapFsError(void 0, work);
  } catch (thrown) {
    if (!(thrown instanceof VaultgraphError) || thrown.code !== "FILE_WRITE_FAILED") throw thrown;
    const details = thrown.details;
    if (details.path !== CHANGE_LOG_NAME) throw thrown;
    const named = { ...details, path: logNameAt(folder) };
    throw new VaultgraphError("FILE_WRITE_FAILED", named, { cause: thrown.cause });
  }
}
function syscallOf(thrown) {
  return thrown instanceof Error && "syscall" in thrown && typeof thrown.syscall === "string" ? thrown.syscall : "call";
}
function preferVaultUnavailable(context, work) {
  try {
    return work();
  } catch (thrown) {
    if (!(thrown instanceof VaultgraphError)) throw thrown;
    const { original_intact: isIntact = true } = thrown.details;
    if (isIntact) context.checkRoot();
    throw thrown;
  }
}

// src/providers/filesystem/writing/roll-change.ts
function rollForward(context, intent, onRemoved = () => void 0) {
  for (const group of creationsFirst(intent, "after")) {
    for (const [number, slot] of group) {
      context.heartbeat();
      rollSlotForward(slot, slotContext(context, intent, number), onRemoved);
      context.at("applied");
    }
    syncFolders(context, foldersOf(group));
  }
}
function rollSlotForward(slot, context, onRemoved) {
  const source = slot.after === null ? slot.place : slot.partner;
  let isRemoved = true;
  try {
    const isMoved = wrapFsError(slot.path, () => applyFile(slot, "after", context));
    isRemoved = slot.after === null || isMoved;
  } catch (thrown) {
    isRemoved = !isConflict(thrown);
    throw thrown;
  } finally {
    if (source !== void 0 && isRemoved) onRemoved(pathOf(source));
  }
}
function rollBack(context, intent, mayBeRemoved = () => true) {
  const notRestored = /* @__PURE__ */ new Set();
  const mustKeep = ({ partner }) => partner !== void 0 && notRestored.has(pathOf(partner));
  for (const group of creationsFirst(intent, "before")) {
    const failures = group.toReversed().flatMap(([number, slot]) => {
      context.heartbeat();
      const forSlot = slotContext(context, intent, number, mustKeep(slot));
      const failure = failureOf(() => wrapFsError(slot.path, () => applyFile(slot, "before", forSlot)));
      const place = pathOf(slot.place);
      if (failure !== void 0 && slot.after === null && mayBeRemoved(place)) notRestored.add(place);
      return failure ?? [];
    });
    const systemFailure = failures.find((failure) => !isConflict(failure)) ?? failureOf(() => syncFolders(context, foldersOf(group)));
    if (systemFailure !== void 0) return systemFailure;
  }
  return void 0;
}
function failureOf(work) {
  try {
    work();
    return void 0;
  } catch (thrown) {
    if (thrown instanceof VaultgraphError) return thrown;
    throw thrown;
  }
}
function creationsFirst({ slots }, side) {
  const numbered = [...slots.entries()];
  return [true, false].map((appears) => numbered.filter(([, slot]) => slot[side] !== null === appears));
}
var foldersOf = (group) => group.map(([, { place }]) => place.folder);
function syncFolders(context, folders) {
  for (const folder of new Set(folders))
    wrapFsError(folder, () => inFolder(context, folder, (handle) => handle?.sync()));
}
function cleanUp(context, intent) {
  cleanUpFiles(context, intent);
  removeEmptyFolders(context, intent.folders.toReversed());
}
function cleanUpFiles(context, intent) {
  context.checkRoot();
  for (const [number, slot] of intent.slots.entries()) {
    const failure = failureOf(
      () => wrapFsError(slot.path, () => cleanUpFile(slot, slotContext(context, intent, number)))
    );
    if (failure !== void 0 && !isConflict(failure)) throw failure;
  }
}
function removeEmptyFolders(context, folders) {
  return folders.filter((path) => {
    const { folder, name } = splitPath(path);
    const remove = (parent) => {
      if (parent !== void 0 && statsAt(context.disk, parent.at(name)) !== void 0)
        context.disk.rmdirSync(parent.at(name));
    };
    return !tryQuietly(() => inFolder(context, folder, remove));
  });
}

// src/providers/filesystem/writing/apply-change.ts
function applyChange(context, request) {
  const now = /* @__PURE__ */ new Date();
  const { files, images, ...steps } = planChange(context, request);
  const id = wrapFsError(void 0, () => context.log.newId(now.getTime()));
  const { tool, client, undoes } = request;
  const about = {
    id,
    time: now.toISOString(),
    tool,
    client,
    machine: machineName(),
    files,
    ...undoes === void 0 ? {} : { undoes }
  };
  const intent = { ...about, ...steps };
  context.at("planned");
  wrapFsError(void 0, () => {
    checkSpace(context, intent, images);
    context.log.begin(intent, images, context.checkStop);
  });
  context.at("begun");
  commit(context, intent);
  context.at("committed");
  rollForwardOrBack(context, intent);
  const kept = removeEmptyFolders(context, intent.emptied);
  context.at("emptied");
  tryQuietly(() => context.log.setStage(id, "done"));
  context.at("done");
  const { view } = context.exclusion;
  const known = view === WHOLE_VAULT ? kept : kept.filter((path) => holdsSomethingSeen(context, path));
  return { ...about, state: "done", kept: known.map((path) => path.normalize("NFC")) };
}
function holdsSomethingSeen({ disk, root: root2, exclusion: { view } }, folder) {
  const isSeen = (path) => {
    const composed = path.normalize("NFC");
    const isFolder = statsAt(disk, join6(root2, path))?.isDirectory() === true;
    if (!isFolder) return view.shows(composed);
    return view.mayHold(composed) && disk.readdirSync(join6(root2, path)).some((name) => isSeen(`${path}/${name}`));
  };
  let seen = false;
  tryQuietly(() => {
    seen = isSeen(folder);
  });
  return seen;
}
function planChange(context, request) {
  const { undoes, operations, emptied = [] } = request;
  if (undoes !== void 0) wrapFsError(void 0, () => checkNotUndone(context.log, undoes, context.exclusion.view));
  const plan = planSlots(context, request);
  return wrapFsError(operations[0]?.path, () => ({
    ...plan,
    folders: missingFolders(context, plan.slots),
    emptied: emptied.map((path) => emptiedFolder(context, path))
  }));
}
function commit(context, intent) {
  try {
    for (const folder of intent.folders) wrapFsError(folder, () => inCreatedFolder(context, folder, () => void 0));
    context.at("folders");
    for (const [number, slot] of intent.slots.entries()) {
      context.checkStop();
      wrapFsError(slot.path, () => prepareSlot(slot, slotContext(context, intent, number)));
    }
    const written = intent.slots.filter(({ after, isCarried }) => after !== null && !isCarried);
    const folders = written.map(({ place }) => place.folder);
    syncFolders(context, folders);
    context.at("prepared");
    context.checkStop();
    wrapFsError(void 0, () => context.log.setStage(intent.id, "committed"));
  } catch (thrown) {
    tryQuietly(() => discardChange(context, intent));
    throw thrown;
  }
}
function prepareSlot(slot, context) {
  const { path, place, before, after, isCarried, respelled } = slot;
  if (respelled !== void 0) return;
  inFolder(context.vault, place.folder, (folder) => {
    const now = hashAt(slot, place.name, folder, context);
    if (now !== before) throw conflict(path, before, now);
  });
  if (after === null || isCarried) return;
  inCreatedFolder(context.vault, place.folder, (folder) => writeTemporary(slot, after, folder, context));
}
function rollForwardOrBack(context, intent) {
  const removed = /* @__PURE__ */ new Set();
  try {
    rollForward(context, intent, (place) => removed.add(place));
  } catch (thrown) {
    if (!(thrown instanceof VaultgraphError)) throw thrown;
    const isAborting = tryQuietly(() => context.log.setStage(intent.id, "aborting"));
    const isRolledBack = isAborting && rollBack(context, intent, (place) => removed.has(place)) === void 0;
    if (!isRolledBack) throw halfMade(thrown);
    tryQuietly(() => discardChange(context, intent));
    throw thrown;
  }
}
function discardChange(context, intent) {
  cleanUp(context, intent);
  wrapFsError(void 0, () => context.log.remove(intent.id));
}
function missingFolders({ disk, root: root2 }, slots) {
  const needed = /* @__PURE__ */ new Set();
  for (const { place, after } of slots) {
    if (after !== null) for (const folder of foldersAbove(pathOf(place))) needed.add(folder);
  }
  return [...needed].filter((folder) => statsAt(disk, join6(root2, folder)) === void 0);
}
function halfMade(thrown) {
  const known = thrown.details;
  const { path = "", errno = thrown.code, step = "write" } = known;
  return new VaultgraphError("FILE_WRITE_FAILED", { path, errno, step, original_intact: false }, { cause: thrown });
}
function planSlots(context, { operations, undoes }) {
  const isUndo = undoes !== void 0;
  const undone = isUndo ? wrapFsError(void 0, () => context.log.intent(undoes)?.slots) : [];
  const formerOwnership = (path) => {
    const owned = undone?.find((slot) => slot.path === path)?.owned;
    return owned === void 0 ? {} : { owned };
  };
  const planning = { context, names: readNames(context), isUndo, formerOwnership, trashed: /* @__PURE__ */ new Set() };
  const all = operations.map((operation) => {
    context.checkStop();
    return wrapFsError(operation.path, () => planOrConflict(planning, operation));
  });
  const slots = all.flatMap((each) => each.slots);
  checkDistinct(slots);
  if (!isUndo) checkNoTwins(slots);
  const images = new Map(all.flatMap(({ bytes }) => bytes.map((each) => [contentHash(each), each])));
  return { slots, files: all.map(({ file }) => file), images };
}
function planOrConflict(planning, operation) {
  try {
    return planOperation(planning, operation);
  } catch (thrown) {
    if (!isErrno(thrown, "ENOENT")) throw thrown;
    planning.context.checkRoot();
    throw conflict(operation.path, null, null);
  }
}
function checkDistinct(slots) {
  const paths = slots.map(({ place }) => pathOf(place));
  if (new Set(paths).size < paths.length) throw new VaultgraphError("INTERNAL", { kind: "two operations on one path" });
}
function checkNoTwins(slots) {
  const created = /* @__PURE__ */ new Set();
  for (const { place, before } of slots) {
    if (before !== null) continue;
    if (created.has(foldCase(pathOf(place)))) throw nameTaken(place);
    created.add(foldCase(pathOf(place)));
  }
}

// src/providers/filesystem/writing/change-log.ts
import { dirname as dirname2, join as join7 } from "node:path";

// src/base/make-folder.ts
import fs3 from "node:fs";
import { dirname } from "node:path";
function makeFolder(path, mode = 511, disk = fs3) {
  try {
    disk.mkdirSync(path, { mode });
    return path;
  } catch (thrown) {
    if (isErrno(thrown, "EEXIST") && fs3.statSync(path).isDirectory()) return void 0;
    const above = dirname(path);
    if (!isErrno(thrown, "ENOENT") || fs3.existsSync(above)) throw thrown;
    const first = makeFolder(above, mode, disk);
    const own = makeFolder(path, mode, disk);
    return first ?? own;
  }
}

// src/contracts/writer.ts
var MAX_CHANGE_AGE_DAYS = 90;

// src/providers/filesystem/writing/change-log.ts
var BOUNDS = { bytes: 256 * 1024 * 1024, ms: MAX_CHANGE_AGE_DAYS * 24 * 60 * 60 * 1e3 };
var BLOCK_BYTES = 4096;
var PRIVATE_FOLDER = 448;
var PRIVATE_FILE = 384;
var MAX_RECENT2 = 5;
var ChangeLog = class {
  #disk;
  folder;
  #bounds;
  /** The entries as last seen; another process may have moved them to another stage since. */
  #seen = /* @__PURE__ */ new Map();
  #parsed = /* @__PURE__ */ new Map();
  /** @param folder absolute; without it the log is empty and can only be read */
  constructor(disk, folder, bounds = BOUNDS) {
    this.#disk = disk;
    this.folder = folder;
    this.#bounds = bounds;
  }
  /** Creates the folder if it is missing. */
  create() {
    const first = makeFolder(this.folder, PRIVATE_FOLDER, this.#disk);
    if (first === void 0) return;
    let created = this.folder;
    for (; created !== first; created = dirname2(created)) this.#syncAbove(created);
    this.#syncAbove(created);
  }
  /** Sorts after all ids in the log, even if the clock was set back. */
  newId(now) {
    const [newest] = this.entries();
    return newId(Math.max(now, newest === void 0 ? now : newest.began + 1));
  }
  /** @param checkStop called for each image; if it throws, nothing is logged */
  begin(intent, images, checkStop2) {
    const parts = serializeChange(intent, images);
    const length = parts.reduce((sum, part) => sum + part.byteLength, 0);
    const bytes = Math.ceil(length / BLOCK_BYTES) * BLOCK_BYTES;
    const entry = { id: intent.id, began: Date.parse(intent.time), bytes, stage: "begun" };
    const temporary = join7(this.folder, `${intent.id}.new`);
    try {
      createDurably(this.#disk, temporary, parts, { mode: PRIVATE_FILE }, checkStop2);
      rename(this.#disk, temporary, this.#fileOf(entry));
    } catch (thrown) {
      tryQuietly(() => removeIfPresent(this.#disk, temporary));
      throw thrown;
    }
    this.#seen.set(intent.id, entry);
    syncFolder(this.#disk, this.folder);
  }
  setStage(id, stage) {
    const from = this.#entry(id);
    const to = { ...from, stage };
    rename(this.#disk, this.#fileOf(from), this.#fileOf(to));
    this.#seen.set(id, to);
    syncFolder(this.#disk, this.folder);
  }
  remove(id) {
    this.#remove(this.#entry(id));
  }
  /** Newest first. */
  entries() {
    return namesIn(this.#disk, this.folder).flatMap((name) => parseFileName(name) ?? []).sort((one, other) => one.id < other.id ? 1 : -1);
  }
  /** Undefined if it is not kept. @throws FILE_WRITE_FAILED with EBADMSG if it is damaged */
  intent(id) {
    return this.#change(id)?.intent;
  }
  /** @throws CHANGE_NOT_FOUND if the bytes are not kept */
  image(id, hash) {
    const bytes = this.findImage(id, hash);
    if (bytes === void 0) throw this.#notFound(id);
    return bytes;
  }
  /** Undefined if the bytes are not kept. */
  findImage(id, hash) {
    const position = this.#change(id)?.images[hash];
    return position && this.#read(id, (read2) => read2(...position));
  }
  /** Removes the oldest completed changes that exceed the bounds, but never the newest, and what a kill left behind. */
  prune(now) {
    for (const name of this.#disk.readdirSync(this.folder).filter(isLeftover))
      removeIfPresent(this.#disk, join7(this.folder, name));
    let bytes = 0;
    for (const [index, entry] of this.entries().entries()) {
      bytes += entry.bytes;
      const isBeyond = bytes > this.#bounds.bytes || now - entry.began > this.#bounds.ms;
      if (index > 0 && isBeyond && isCompleted(entry)) this.#remove(entry);
    }
  }
  #syncAbove(folder) {
    tryQuietly(() => syncFolder(this.#disk, dirname2(folder)));
  }
  #fileOf(entry) {
    return join7(this.folder, fileNameOf(entry));
  }
  #remove(entry) {
    this.#disk.unlinkSync(this.#fileOf(entry));
    this.#seen.delete(entry.id);
  }
  #refresh(id) {
    const found = this.entries().find((entry) => entry.id === id);
    if (found !== void 0) this.#seen.set(id, found);
    return found;
  }
  #entry(id) {
    const found = this.#seen.get(id) ?? this.#refresh(id);
    if (found === void 0) throw this.#notFound(id);
    return found;
  }
  #notFound(id) {
    const recent = this.entries().slice(0, MAX_RECENT2);
    return new VaultgraphError("CHANGE_NOT_FOUND", { id, recent: recent.map((entry) => entry.id) });
  }
  #change(id) {
    const found = this.#parsed.get(id) ?? this.#read(id, parseChange);
    if (found !== void 0) this.#parsed.set(id, found);
    return found;
  }
  /** Undefined if it is not kept. Looks again while another process renames the file. */
  #read(id, work) {
    let file;
    let entry = this.#seen.get(id) ?? this.#refresh(id);
    while (entry !== void 0 && this.#fileOf(entry) !== file) {
      file = this.#fileOf(entry);
      try {
        return withOpenFile(this.#disk, file, work);
      } catch (thrown) {
        if (!isErrno(thrown, "ENOENT")) throw thrown;
      }
      entry = this.#refresh(id);
    }
    return void 0;
  }
};

// src/providers/filesystem/writing/folder-lock.ts
import { constants as constants4 } from "node:fs";
import { join as join8 } from "node:path";

// src/base/system/folders.ts
function sharedFolder({ platform, env }) {
  const { variable = "", byDefault } = rulesFor(platform).sharedFolder;
  return env[variable] || byDefault;
}

// src/providers/filesystem/writing/exclusive-handle.ts
import * as modules from "node:module";
import { constants as system } from "node:os";
var VAULT_NAME = "the vault";
var [LOCK_EX, LOCK_NB] = [2, 4];
var IS_HELD = ["EAGAIN", "EBUSY", "EINTR", "EWOULDBLOCK"];
var IS_REFUSED = ["EBADF", "EINVAL", "ENOLCK", "ENOSYS", "ENOTSUP", "EOPNOTSUPP"];
var requireModule = modules.createRequire(import.meta.url);
var flock;
function openExclusively(disk, path, flags) {
  const { lockFlag } = ownRules();
  return lockFlag === void 0 ? openAndLock(disk, path, flags) : openLocked(disk, path, flags | lockFlag);
}
function openAndLock(disk, path, flags) {
  flock ??= loadFlock();
  const descriptor = disk.openSync(path, flags);
  const errno = flock(descriptor);
  if (errno === 0) return descriptor;
  disk.closeSync(descriptor);
  return errno === system.errno.EAGAIN || errno === system.errno.EINTR ? "held" : "refused";
}
function openLocked(disk, path, flags) {
  try {
    return disk.openSync(path, flags);
  } catch (thrown) {
    const errno = errnoOrRethrow(thrown);
    if (IS_HELD.includes(errno)) return "held";
    if (IS_REFUSED.includes(errno)) return "refused";
    throw thrown;
  }
}
function loadFlock() {
  try {
    const koffi = requireModule("koffi");
    const call = koffi.load(null).func("int flock(int descriptor, int operation)");
    return (descriptor) => call(descriptor, LOCK_EX | LOCK_NB) === 0 ? 0 : koffi.errno();
  } catch (thrown) {
    const details = { path: VAULT_NAME, errno: "ELIBACC", step: "lock", original_intact: true };
    throw new VaultgraphError("FILE_WRITE_FAILED", details, { cause: thrown });
  }
}

// src/providers/filesystem/writing/folder-lock.ts
var MAX_WAIT_MS = 1e4;
var [MIN_PAUSE_MS, MAX_PAUSE_MS] = [1, 25];
var { O_RDONLY: O_RDONLY2, O_RDWR, O_CREAT, O_EXCL } = constants4;
var NO_LINK = constants4.O_NOFOLLOW ?? 0;
var FOLDER_FLAGS = O_RDONLY2 | NO_LINK | (constants4.O_DIRECTORY ?? 0);
var FILE_FLAGS = O_RDONLY2 | NO_LINK | (constants4.O_NONBLOCK ?? 0);
var READABLE_BY_ALL = 420;
function withFolderLocks(disk, folders, checkStop2, work, maxWaitMs = MAX_WAIT_MS) {
  const deadline = performance.now() + maxWaitMs;
  const held = [];
  try {
    for (const folder of folders) held.push(waitForLock(disk, folder, checkStop2, deadline));
    return work(held.at(-1)?.place ?? "folder");
  } finally {
    for (const { descriptor } of held.toReversed()) tryQuietly(() => disk.closeSync(descriptor));
  }
}
function waitForLock(disk, folder, checkStop2, deadline) {
  for (let pauseMs = MIN_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
    const held = tryLock(disk, folder);
    if (held !== void 0) return held;
    if (performance.now() > deadline) throw lockError("EBUSY");
    checkStop2();
    sleepSync(pauseMs * (0.5 + Math.random()));
  }
}
function tryLock(disk, folder) {
  const onFolder = ownRules().canLockFolders ? openExclusively(disk, folder, FOLDER_FLAGS) : "refused";
  if (onFolder !== "refused") return checked(disk, folder, onFolder, "folder");
  const file = machineFile(disk, folder);
  const onMachine = openExclusively(disk, file, FILE_FLAGS);
  if (onMachine === "refused") throw lockError("ENOLCK");
  return checked(disk, file, onMachine, "machine");
}
function checked(disk, path, handle, place) {
  if (typeof handle !== "number") return void 0;
  let isThere = false;
  try {
    const [opened, found] = [disk.fstatSync(handle, { bigint: true }), disk.lstatSync(path, { bigint: true })];
    isThere = opened.dev === found.dev && opened.ino === found.ino;
  } finally {
    if (!isThere) disk.closeSync(handle);
  }
  return isThere ? { descriptor: handle, place } : void 0;
}
function machineFile(disk, folder) {
  const { dev, ino } = disk.lstatSync(folder, { bigint: true });
  const file = join8(sharedFolder(process), `vaultgraph-${dev}-${ino}.lock`);
  try {
    const descriptor = disk.openSync(file, O_RDWR | O_CREAT | O_EXCL | NO_LINK, READABLE_BY_ALL);
    try {
      disk.fchmodSync(descriptor, READABLE_BY_ALL);
    } finally {
      disk.closeSync(descriptor);
    }
  } catch (thrown) {
    if (!isErrno(thrown, "EEXIST")) throw thrown;
  }
  return file;
}
function lockError(errno) {
  return new VaultgraphError("FILE_WRITE_FAILED", { path: VAULT_NAME, errno, step: "lock", original_intact: true });
}

// src/providers/filesystem/writing/former-log.ts
import { join as join10 } from "node:path";

// src/providers/filesystem/writing/log-lock.ts
import { randomBytes as randomBytes2 } from "node:crypto";
import { readlinkSync } from "node:fs";
import { basename, dirname as dirname3, join as join9 } from "node:path";
import { threadId } from "node:worker_threads";
var LOCK = "lock";
var WAITER_PREFIX = "lock.";
var MAX_WAIT_MS2 = 1e4;
var [MIN_PAUSE_MS2, MAX_PAUSE_MS2] = [5, 25];
var TOUCH_INTERVAL_MS = 1e3;
var IS_HELD2 = ["ENOTEMPTY", "EEXIST", "EPERM", "EACCES", "EBUSY"];
function withLogLock(disk, folder, checkStop2, work, maxWaitMs = MAX_WAIT_MS2) {
  const me = newHolderName();
  const deadline = performance.now() + maxWaitMs;
  try {
    while (!tryAcquire(disk, folder, me)) {
      if (performance.now() > deadline) throw lockBusy();
      checkStop2();
      sleepSync(MIN_PAUSE_MS2 + Math.random() * (MAX_PAUSE_MS2 - MIN_PAUSE_MS2));
    }
    removeDeadWaiters(disk, folder);
    return work(keeping(disk, join9(folder, LOCK, me)));
  } finally {
    tryQuietly(() => disk.unlinkSync(join9(folder, LOCK, me)));
    tryQuietly(() => disk.rmdirSync(join9(folder, LOCK)));
    tryQuietly(() => disk.rmSync(join9(folder, WAITER_PREFIX + me), { recursive: true, force: true }));
  }
}
function tryAcquire(disk, folder, me) {
  const [lock, mine] = [join9(folder, LOCK), join9(folder, WAITER_PREFIX + me)];
  if (statsAt(disk, mine) === void 0) {
    disk.mkdirSync(mine);
    disk.closeSync(disk.openSync(join9(mine, me), "wx"));
  }
  try {
    disk.renameSync(mine, lock);
    return true;
  } catch (thrown) {
    if (!isErrno(thrown, ...IS_HELD2)) throw thrown;
  }
  return tryTakeOver(disk, lock, me);
}
function tryTakeOver(disk, lock, me) {
  let holder;
  tryQuietly(() => [holder] = disk.readdirSync(lock));
  if (holder === void 0) tryQuietly(() => disk.rmdirSync(lock));
  if (holder === void 0 || !isDead(disk, join9(lock, holder))) return false;
  return tryQuietly(() => disk.renameSync(join9(lock, String(holder)), join9(lock, me)));
}
function keeping(disk, file) {
  let touchedMs = performance.now();
  return () => {
    if (statsAt(disk, file) === void 0) throw lockBusy();
    if (performance.now() - touchedMs < TOUCH_INTERVAL_MS) return;
    touchedMs = performance.now();
    const now = /* @__PURE__ */ new Date();
    tryQuietly(() => disk.utimesSync(file, now, now));
  };
}
function removeDeadWaiters(disk, folder) {
  for (const name of disk.readdirSync(folder).filter((each) => each.startsWith(WAITER_PREFIX))) {
    const file = join9(folder, name, name.slice(WAITER_PREFIX.length));
    if (isDead(disk, file)) tryQuietly(() => disk.rmSync(join9(folder, name), { recursive: true, force: true }));
  }
}
function lockBusy() {
  const details = { path: CHANGE_LOG_NAME, errno: "EBUSY", step: "lock", original_intact: true };
  return new VaultgraphError("FILE_WRITE_FAILED", details);
}
var MAX_SILENCE_MS = 6e4;
function newHolderName() {
  const { pid, thread, started, machine } = currentHolder();
  return [pid, thread, started, machine, randomBytes2(4).toString("hex")].join(".");
}
function isDead(disk, file) {
  const [pid = "", thread = "", started = "", machine = ""] = basename(file).split(".");
  if (machine === currentHolder().machine) {
    if (ownRules().hasProc) return startTime(`/proc/${pid}/task/${thread}/stat`) !== started;
    if (!isRunning(Number(pid))) return true;
  }
  const stats = statsAt(disk, file) ?? statsAt(disk, dirname3(file));
  return stats !== void 0 && Date.now() - stats.mtimeMs > MAX_SILENCE_MS;
}
function currentHolder() {
  if (!ownRules().hasProc)
    return { pid: String(process.pid), thread: String(threadId), started: "", machine: process.platform };
  const [pid = "", , thread = ""] = readlinkSync("/proc/thread-self").split("/");
  const { boot, namespace } = pidNamespace();
  const started = startTime("/proc/thread-self/stat") ?? "";
  return { pid, thread, started, machine: `${boot}-${namespace.replace(/\D/g, "")}` };
}

// src/providers/filesystem/writing/former-log.ts
var MOVED = fileNameOf({ id: "chg_000000000_000000", bytes: 0, stage: "begun" });
function moveFormerLog(disk, folders, checkStop2) {
  const { formerLog } = folders;
  wrapLogError(formerLog, () => {
    if (statsAt(disk, formerLog) === void 0) return;
    if (hasMoved(disk, formerLog)) removeMoved(disk, formerLog);
    else
      withLogLock(
        disk,
        formerLog,
        checkStop2,
        (keep) => moveLocked(disk, folders, () => {
          keep();
          checkStop2();
        })
      );
  });
}
function moveLocked(disk, folders, checkStop2) {
  const { log, formerLog } = folders;
  if (hasMoved(disk, formerLog)) return;
  const names = namesIn(disk, formerLog).filter((name) => parseFileName(name) !== void 0);
  for (const name of names) copyChange(disk, name, folders, checkStop2);
  wrapLogError(log, () => syncFolder(disk, log));
  leaveMark(disk, folders);
  removeMoved(disk, formerLog);
}
var hasMoved = (disk, formerLog) => statsAt(disk, join10(formerLog, MOVED)) !== void 0;
function copyChange(disk, name, { log, formerLog }, checkStop2) {
  const id = parseFileName(name)?.id;
  const [from, temporary] = [join10(formerLog, name), join10(log, `${name}.new`)];
  wrapLogError(log, () => {
    const outdated = namesIn(disk, log).filter((each) => parseFileName(each)?.id === id && each !== name);
    for (const each of [...outdated, `${name}.new`]) removeIfPresent(disk, join10(log, each));
  });
  try {
    withOpenFile(disk, from, (read2) => {
      const readFormer = (...range) => wrapLogError(formerLog, () => read2(...range));
      const pieces = piecesOf(readFormer, checkStop2);
      wrapLogError(log, () => createDurably(disk, temporary, pieces, { mode: PRIVATE_FILE }));
    });
    checkSame(disk, from, temporary, checkStop2);
    wrapLogError(log, () => rename(disk, temporary, join10(log, name)));
  } catch (thrown) {
    tryQuietly(() => removeIfPresent(disk, temporary));
    throw thrown;
  }
}
function* piecesOf(read2, checkStop2) {
  for (let offset = 0; ; ) {
    checkStop2();
    const piece = read2(offset, BYTES_PER_READ);
    if (piece.byteLength === 0) return;
    yield piece;
    offset += piece.byteLength;
  }
}
function checkSame(disk, from, copy, checkStop2) {
  const hash = (file) => hashOf(disk, file, CHANGE_LOG_NAME, checkStop2);
  if (hash(from) !== hash(copy)) throw damagedChange();
}
function leaveMark(disk, { log, formerLog }) {
  const text = `This change log was moved to ${log} by a newer vaultgraph; this version must not write to the vault.`;
  const [mark, temporary] = [join10(formerLog, MOVED), join10(formerLog, `${MOVED}.new`)];
  removeIfPresent(disk, temporary);
  createDurably(disk, temporary, serializeNotice(text), { mode: PRIVATE_FILE });
  rename(disk, temporary, mark);
  syncFolder(disk, formerLog);
}
function removeMoved(disk, formerLog) {
  const moved = namesIn(disk, formerLog).filter((name) => name !== MOVED);
  for (const name of moved.filter((each) => isLeftover(each) || parseFileName(each) !== void 0))
    tryQuietly(() => removeIfPresent(disk, join10(formerLog, name)));
}

// src/providers/filesystem/writing/vault-root.ts
function openVaultRoot(disk, root2, exclusion2, heartbeat2) {
  const first = rootStats(disk, root2);
  const checkRoot = () => {
    const now = rootStats(disk, root2);
    if (now.ino !== first.ino || now.dev !== first.dev)
      throw new VaultgraphError("VAULT_UNAVAILABLE", { errno: "ESTALE" });
  };
  return Object.freeze({ disk, root: root2, exclusion: exclusion2, checkRoot, heartbeat: heartbeat2 });
}
function rootStats(disk, root2) {
  try {
    const stats = disk.lstatSync(root2, { bigint: true });
    if (stats.isDirectory()) return stats;
  } catch (thrown) {
    throw new VaultgraphError("VAULT_UNAVAILABLE", { errno: errnoOrRethrow(thrown) }, { cause: thrown });
  }
  throw new VaultgraphError("VAULT_UNAVAILABLE", { errno: "ENOTDIR" });
}

// src/providers/filesystem/writing/perform-write.ts
var PROBE_WAIT_MS = 100;
var unreported = [];
function performWrite(task, environment) {
  return wrapLogError(task.log, () => {
    if (task.kind === "lock") return tryLock2(environment);
    const log = new ChangeLog(realDisk, task.log);
    const { view } = environment.exclusion;
    if (task.kind === "changes") return { kind: "changes", changes: listChanges(within(log, view), task.limit) };
    if (task.kind === "inverse") return { kind: "inverse", ...inverseOf(log, task.id, view) };
    const context = createContext(log, environment);
    if (task.kind === "check") return preferVaultUnavailable(context, () => check(task.request, context));
    log.create();
    const write2 = () => withFreeSpace(context, () => recoverAndApply(task, context));
    const maxWaitMs = task.kind === "recover" ? task.maxWaitMs : void 0;
    return preferVaultUnavailable(
      context,
      () => withFolderLocks(realDisk, [task.log, context.root], environment.checkStop, write2, maxWaitMs)
    );
  });
}
function tryLock2({ realRoot: realRoot2, checkStop: checkStop2 }) {
  return withFolderLocks(realDisk, [realRoot2()], checkStop2, (place) => ({ kind: "lock", place }), PROBE_WAIT_MS);
}
function check(request, context) {
  planChange(context, request);
  return { kind: "check" };
}
function recoverAndApply(task, context) {
  moveFormerLog(context.disk, task, context.checkStop);
  recoverChanges(context, (recovered) => unreported.push(recovered));
  context.log.prune(Date.now());
  if (task.kind === "recover") return { kind: "recover", recovered: unreported.splice(0) };
  return { kind: "apply", change: applyChange(context, task.request), recovered: unreported.splice(0) };
}
function createContext(log, environment) {
  const { realRoot: realRoot2, exclusion: exclusion2, heartbeat: heartbeat2, checkStop: checkStop2, onCommitted: onCommitted2 } = environment;
  const at = (point) => {
    if (point === "committed") onCommitted2();
  };
  return { ...openVaultRoot(realDisk, realRoot2(), exclusion2, heartbeat2), log, checkStop: checkStop2, at };
}
function recoverChanges(context, onRecovered) {
  const interrupted = wrapFsError(void 0, () => context.log.entries().filter((entry) => !isCompleted(entry)));
  for (const { id, stage } of interrupted.toReversed()) {
    const intent = wrapFsError(void 0, () => context.log.intent(id));
    if (intent === void 0) continue;
    if (isShown(intent, context.exclusion.view)) onRecovered({ id, outcome: recoverChange(context, intent, stage) });
    else recoverUnseen(context, intent, stage);
  }
}
function recoverUnseen(context, intent, stage) {
  try {
    recoverChange(context, intent, stage);
  } catch (thrown) {
    if (!(thrown instanceof VaultgraphError) || thrown.code === "VAULT_UNAVAILABLE") throw thrown;
    const { errno = thrown.code, step = "write" } = thrown.details;
    const details = { path: CHANGE_LOG_NAME, errno, step, original_intact: true };
    throw new VaultgraphError("FILE_WRITE_FAILED", details, { cause: thrown });
  }
}
function recoverChange(context, intent, stage) {
  checkMounted(context, intent, stage);
  if (stage === "begun") {
    discardChange(context, intent);
    return "forgotten";
  }
  if (stage === "committed" && tryFinish(context, intent)) {
    removeEmptyFolders(context, intent.emptied);
    wrapFsError(void 0, () => context.log.setStage(intent.id, "done"));
    return "finished";
  }
  const failure = rollBack(context, intent);
  if (failure !== void 0) throw failure;
  cleanUp(context, intent);
  wrapFsError(void 0, () => context.log.setStage(intent.id, "taken_back"));
  return "taken_back";
}
function checkMounted(context, { slots }, stage) {
  const leavesFiles = slots.some(({ before, after }) => (stage === "begun" ? before : after) !== null);
  if (leavesFiles && wrapFsError("", () => context.disk.readdirSync(context.root)).length === 0)
    throw new VaultgraphError("VAULT_UNAVAILABLE", { errno: "ENOENT" });
}
function tryFinish(context, intent) {
  const isSlotPending = (slot, number) => wrapFsError(slot.path, () => isPending(slot, slotContext(context, intent, number)));
  try {
    if (intent.slots.some(isSlotPending)) rollForward(context, intent);
    else cleanUpFiles(context, intent);
    return true;
  } catch (thrown) {
    if (!isConflict(thrown)) throw thrown;
    return false;
  }
}

// src/providers/filesystem/file-thread.ts
var { root, exclude, read, write, sharedState } = workerData;
var exclusion = createExclusion(exclude, createView({ read, write }));
watchMainThread();
parentPort?.on("message", (task) => {
  Atomics.store(sharedState, IS_WORKING, 1);
  const answer = answerOf(task);
  Atomics.store(sharedState, IS_WORKING, 0);
  parentPort?.postMessage(answer, buffersOf(answer));
});
function answerOf(task) {
  try {
    switch (task.kind) {
      case "probe":
        statRoot(root);
        return { kind: "probe" };
      case "list":
        return listAndRead(task);
      case "read":
        return { kind: "read", rows: readAll(task.files) };
      case "survey":
        return { kind: "survey", survey: surveyVault(root, exclusion, checkStop) };
      case "inspect":
        return { kind: "inspect", states: inspectPaths(root, task.paths, exclusion, checkStop) };
      case "root":
        return { kind: "root", identity: rootIdentity(root) };
      case "settings":
        return {
          kind: "settings",
          file: withOpenFolders(realRoot(), (folders) => readSettings(folders, task.name, checkStop))
        };
      default:
        return performWrite(task, { realRoot, exclusion, checkStop, heartbeat, onCommitted });
    }
  } catch (thrown) {
    return { kind: "error", error: serializeError(thrown) };
  }
}
function listAndRead({ paths, maxBytes = -1 }) {
  const found = listFiles(root, exclusion, checkStop, paths);
  const wanted = new Set(paths);
  const files = found.files.filter(({ path, kind, evicted }) => wanted.has(path) && kind !== "attachment" && !evicted);
  const bytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  return { kind: "list", found, ...bytes <= maxBytes && { rows: readAll(files) } };
}
function checkStop() {
  heartbeat();
  if (Atomics.load(sharedState, STOP_REQUESTED) === 1) throw new VaultgraphError("CANCELLED", { committed: "none" });
}
function heartbeat() {
  Atomics.add(sharedState, HEARTBEATS, 1);
}
function onCommitted() {
  Atomics.store(sharedState, ITEMS_DONE, 1);
}
function readAll(files) {
  const rows = withOpenFolders(
    realRoot(),
    (folders) => files.map((request) => {
      const row = readRow(folders, request);
      Atomics.add(sharedState, ITEMS_DONE, 1);
      return row;
    })
  );
  if (rows.some((row) => "error" in row && row.error.code === "FILE_UNREADABLE")) statRoot(root);
  return rows;
}
function readRow(folders, request) {
  checkStop();
  try {
    return { content: readFile(folders, exclusion, request, checkStop) };
  } catch (thrown) {
    return { error: serializeError(thrown) };
  }
}
var realRoot = () => realPathOf(root);
function buffersOf(answer) {
  if (answer.kind !== "read" && answer.kind !== "list") return [];
  return (answer.rows ?? []).flatMap((row) => "content" in row ? [row.content.bytes.buffer] : []);
}
