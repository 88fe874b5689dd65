import{createRequire}from'node:module';const require=createRequire(import.meta.url);

// src/base/errors.ts
import { randomBytes } from "node:crypto";

// src/base/command-line.ts
import { existsSync } from "node:fs";
import { basename, delimiter, join, relative, resolve } from "node:path";
var thisStart = () => ({ argv: process.argv, cwd: process.cwd(), path: process.env.PATH ?? "" });
function commandLine(command, start = thisStart()) {
  return [programName(start), command, ...placeOptions(start).map(shellWord)].join(" ");
}
function programName({ argv, cwd, path } = thisStart()) {
  const [, script = "", command] = argv;
  if (/[\\/](?:_npx|dlx-[^\\/]*)[\\/]/.test(script)) return "npx vaultgraph";
  if (isInPackages(script)) return isGlobal(script) || isOnPath(path) ? "vaultgraph" : "npx vaultgraph";
  if (!/^main\.[jt]s$/.test(basename(script))) return "vaultgraph";
  const way = relative(cwd, script);
  const isNear = !way.startsWith("..") && command !== "serve";
  return `node ${shellWord(isNear ? way : script)}`;
}
var shellWord = (word) => /[\s"'\\$`&;|<>()*?]/.test(word) ? JSON.stringify(word) : word;
var isInPackages = (script) => /[\\/]node_modules[\\/](?:vaultgraph|\.bin)[\\/]/.test(script);
var isGlobal = (script) => /[\\/](?:lib|npm)[\\/]node_modules[\\/]/.test(script);
function isOnPath(path) {
  const folders = path.split(delimiter).filter((folder) => folder !== "" && !/node_modules[\\/]\.bin$/.test(folder));
  return folders.some((folder) => ["vaultgraph", "vaultgraph.cmd"].some((name) => existsSync(join(folder, name))));
}
var PLACE_OPTION = /^--(?:config|vault|data-dir|state-dir)(?:=|$)/;
function placeOptions({ argv, cwd }) {
  const [command, ...args] = argv.slice(2);
  const shown = (path) => command === "serve" ? resolve(cwd, path) : path;
  return args.flatMap((arg, at) => {
    const [name = "", ...value] = PLACE_OPTION.test(arg) ? arg.split("=") : [];
    if (name === "") return [];
    return [name, shown(value.length > 0 ? value.join("=") : args[at + 1] ?? "")];
  });
}

// src/base/errors/error-entry.ts
var entry = (fields) => Object.freeze(fields);
var plural = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;
var codeList = (names) => names.map((name) => `\`${name}\``).join(", ");
var MAX_SHOWN_LENGTH = 200;
function cut(text, longest = MAX_SHOWN_LENGTH) {
  if (text.length <= longest) return text;
  const isHalf = /[\ud800-\udbff]/.test(text.charAt(longest - 1));
  return `${text.slice(0, isHalf ? longest - 1 : longest)}\u2026`;
}
var quoted = (text) => JSON.stringify(cut(text));
function cutTexts(value) {
  if (typeof value === "string") return cut(value);
  if (Array.isArray(value)) return value.map((item) => cutTexts(item));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, key === "diff" ? member : cutTexts(member)])
  );
}
var waitForJob = (jobId, why) => ({
  kind: "tool_call",
  tool: "reindex",
  arguments: { job_id: jobId, wait_ms: 2e4 },
  why
});
var SEARCH_TEXT = {
  kind: "tool_call",
  tool: "search_text",
  arguments: {},
  why: "finds notes by their words, without a model"
};
var DOCTOR = {
  kind: "command",
  command: commandLine("doctor"),
  run_by: "user",
  why: "checks the setup and says how to fix each problem"
};

// src/base/errors/conflict-errors.ts
var ANSWERS = {
  declined: ": the user declined it, and nothing was written",
  cancelled: ": the user closed the question, and nothing was written",
  no_answer: ": the user was asked and did not answer in time, so nothing was written"
};
var CONFLICT_ERRORS = {
  NOTE_EXISTS: entry({
    category: "conflict",
    retry: "C",
    http: 409,
    message: ({ path }) => `${path} already exists; it was not changed`,
    hint: ({ path, etag }) => {
      if (path.endsWith("/"))
        return `Choose another path; \`${path}NAME\` with the name of the folder moves it into that one.`;
      return etag === void 0 ? "Choose another path." : "Edit that note with its etag, or choose another path.";
    }
  }),
  WRITE_CONFLICT: entry({
    category: "conflict",
    retry: "C",
    http: 409,
    message: ({ path }) => `${path} has changed since it was read; nothing was written`,
    hint: () => "Read it again, merge the changes, and call again with the new etag."
  }),
  CONFIRMATION_REQUIRED: entry({
    category: "conflict",
    retry: "C",
    http: 428,
    message: ({ operation, affected, answer }) => `${operation} affects ${affected.join(", ")} and was not confirmed${answer === void 0 ? "" : ANSWERS[answer]}`,
    hint: ({ dry_run, if_match, answer, plan_id }) => {
      if (plan_id !== void 0)
        return `Describe the change to the user. To show the form again, call the tool with plan_id: ${plan_id}.`;
      if (answer !== void 0) return "Ask the user what they want instead; repeat the call only if they say so.";
      return dry_run ? `Preview it with dry_run: true, then call again with the plan_id it returns, ${if_match ? "with if_match, " : ""}or with confirm: true if that is what the user wants.` : "Call again with confirm: true if that is what the user wants.";
    }
  }),
  LINK_INTEGRITY: entry({
    category: "conflict",
    retry: "C",
    http: 409,
    message: ({ incoming = 0, sample: [first] = [], outside }) => outside ? "files that this server may not change would have to change too; nothing was written" : `${plural(incoming, "link")} cannot be updated; nothing was moved${first === void 0 ? "" : ` (first: ${first.path}:${first.line}: ${first.reason})`}`,
    hint: ({ outside }) => outside ? "Ask the user to make this change in Obsidian, or to include the files in vault.read and vault.write of the config." : "Fix those links first, or call again with allow_broken: true to move anyway and leave them broken."
  }),
  MASS_DELETE_BLOCKED: entry({
    category: "conflict",
    retry: "U",
    http: 409,
    message: ({ known, missing }) => `${missing} of ${plural(known, "known note")} are missing all at once; the index was left alone`,
    hint: () => "If part of the vault is missing (unmounted disk, unsynced cloud folder), bring it back. If the notes were deleted on purpose, call reindex with confirm: true."
  }),
  BATCH_FAILED: entry({
    category: "conflict",
    retry: "C",
    http: 207,
    message: ({ failed: failed2, why }) => `${why} (${failed2.length} of ${plural(failed2.length, "item")})`,
    hint: ({ advice }) => advice
  })
};

// src/base/errors/control-errors.ts
var COMMITTED = { none: "", partial: "; the change may be partly written", all: "; the change was written" };
var CONTROL_ERRORS = {
  OVERLOADED: entry({
    category: "control",
    retry: "D",
    http: 429,
    retryAfterMs: 2e3,
    message: ({ queued, limit }) => `${plural(queued, "call")} already queued for the provider, the limit is ${limit}`,
    hint: () => "Call again when some of them have finished."
  }),
  DEADLINE_EXCEEDED: entry({
    category: "control",
    retry: "D",
    http: 504,
    retryAfterMs: 1e3,
    message: ({ budget_ms, phase, committed }) => `the call exceeded its limit of ${budget_ms} ms while ${phase}${COMMITTED[committed]}`,
    hint: ({ committed }) => committed === "none" ? "Narrow the call with filters or a smaller limit, or call again for the rest." : "Read the note before you call again: the change may already be there. undo_change reverts it."
  }),
  NOT_READY: entry({
    category: "control",
    retry: "D",
    http: 503,
    retryAfterMs: 2e3,
    message: ({ phase, done, total }) => `the index is not ready yet: ${phase}${total === void 0 ? "" : ` (${done} of ${total} changes)`}`,
    hint: ({ phase }) => phase === "migrating" ? "The index is being upgraded for this version; this happens once. Call again in a moment." : "The index is being copied from the database server to this machine. Call again in a moment."
  }),
  SHUTTING_DOWN: entry({
    category: "control",
    retry: "D",
    http: 503,
    retryAfterMs: 2e3,
    message: () => "the server is shutting down",
    hint: () => "Call again after the server has restarted."
  }),
  CANCELLED: entry({
    category: "control",
    retry: "N",
    http: 499,
    message: () => "the call was cancelled",
    hint: () => "The client or the user cancelled it; call again if the result is still needed."
  }),
  INTERNAL: entry({
    category: "internal",
    retry: "N",
    http: 500,
    message: () => "an unexpected error inside vaultgraph",
    hint: () => "This is a bug. Please report it with the error id."
  })
};

// src/base/errors/download-errors.ts
var counted = (count) => count.toLocaleString("en");
var DOWNLOAD_ERRORS = {
  DOWNLOAD_FAILED: entry({
    category: "provider",
    retry: "D",
    http: 502,
    retryAfterMs: 5e3,
    message: ({ host, file, reason }) => `${file} was not downloaded from ${host}: ${reason}`,
    hint: ({ kept_bytes: kept = 0 }) => kept > 0 ? `${counted(kept)} bytes are kept: run the same command again to continue.` : "Check the connection, the address of the hub (--hub) and the revision; then run the command again."
  }),
  DOWNLOAD_MISMATCH: entry({
    category: "provider",
    retry: "U",
    http: 422,
    message: ({ host, file, what, expected, received }) => what === "bytes" ? `${file} from ${host} has ${received} bytes, not ${expected}; nothing was installed` : `${file} from ${host} has the SHA-256 ${received}, not ${expected}; nothing was installed`,
    hint: () => "Check --sha256 and --revision. If they are right, do not use this file: it is not the expected one."
  }),
  MODEL_INVALID: entry({
    category: "capability",
    retry: "U",
    http: 422,
    message: ({ name, reason }) => `${name} is not a model2vec model: ${reason}; nothing was installed`,
    hint: () => "A model is a folder with model.safetensors, tokenizer.json and config.json that belong together."
  })
};

// src/base/errors/index-errors.ts
var waitHint = (jobId) => `Wait with reindex, job_id ${jobId} and wait_ms, then call again.`;
var storeMessage = (op, cause) => `StoreProvider failed: ${op}: ${cause}`;
var UNREADABLE = {
  missing: "There is no index in it yet.",
  outdated: "Its index is of an older version, and is upgraded once by a server that can write it."
};
var REBUILD = {
  kind: "command",
  command: commandLine("doctor --rebuild-index"),
  run_by: "user",
  why: "moves the damaged index aside and builds a new one; the notes are not touched"
};
var INDEX_ERRORS = {
  STORE_UNAVAILABLE: entry({
    category: "store",
    retry: "U",
    http: 503,
    message: ({ op, reason }) => storeMessage(op, reason),
    hint: ({ module, config_key }) => {
      if (config_key !== void 0) return `Ask the user to check that server and \`${config_key}\` in the config.`;
      return module === void 0 ? "Ask the user to make that folder usable, or to store the index elsewhere with --data-dir." : `Ask the user to run \`${commandLine("doctor")}\`, which says what is missing and how to fix it.`;
    },
    actions: ({ module }) => module === void 0 ? [] : [DOCTOR]
  }),
  STORE_BUSY: entry({
    category: "store",
    retry: "D",
    http: 503,
    retryAfterMs: 1e3,
    message: ({ op, waited_ms, server }) => {
      const cause = server === void 0 ? "another process has locked the index" : `the PostgreSQL server at ${server} is busy`;
      return storeMessage(op, `${cause} (waited ${waited_ms} ms)`);
    },
    hint: ({ server }) => server === void 0 ? "Another vaultgraph is writing to the same index. Call again in a moment." : "The server did not finish in time, or all connections are in use. Call again in a moment; `providers.store.timeout` and `providers.store.pool` set how long and how many."
  }),
  STORE_CORRUPT: entry({
    category: "store",
    retry: "U",
    http: 500,
    message: ({ op, file }) => storeMessage(op, `${file} is damaged or not a database`),
    hint: () => `The notes are not affected. Run \`${commandLine("doctor --rebuild-index")}\` to move the damaged index aside and build a new one, then restart the server.`,
    actions: () => [REBUILD]
  }),
  STORE_FULL: entry({
    category: "store",
    retry: "U",
    http: 507,
    message: ({ op, file }) => storeMessage(op, `no space left for ${file}`),
    hint: ({ config_key }) => config_key === void 0 ? "Free some disk space, or store the index elsewhere with --data-dir." : "Ask the user to free disk space on that server."
  }),
  STORE_READONLY: entry({
    category: "store",
    retry: "U",
    http: 500,
    message: ({ op, file }) => storeMessage(op, `${file} is not writable`),
    hint: ({ index, config_key }) => {
      if (config_key !== void 0)
        return "Reads from the index still work, and another server can update it. To update it from here, grant the user of `providers.store` the right to write to the schema.";
      return `Make the index folder writable, or store the index elsewhere with --data-dir. ${index === void 0 ? "Reads from the index still work." : UNREADABLE[index]}`;
    }
  }),
  STORE_SCHEMA_TOO_NEW: entry({
    category: "store",
    retry: "U",
    http: 409,
    message: ({ found, supported }) => `StoreProvider failed: the index has schema ${found}, this version of vaultgraph supports up to ${supported}`,
    hint: ({ config_key }) => `Upgrade vaultgraph, or give this version its own index with ${config_key === void 0 ? "--data-dir" : `\`${config_key}\``}.`
  }),
  STORE_MIGRATION_FAILED: entry({
    category: "store",
    retry: "U",
    http: 500,
    message: ({ from, to, step }) => `StoreProvider failed: migration from schema ${from} to ${to} failed at step ${step} and was rolled back`,
    hint: ({ backup }) => `A copy of the index from before the migration is in ${backup}. Please report this with the error id.`
  }),
  STORE_ERROR: entry({
    category: "store",
    retry: "N",
    http: 500,
    message: ({ op, sqlite_code, sqlstate }) => storeMessage(op, sqlite_code ?? sqlstate ?? "unknown error"),
    hint: () => "Please report this with the error id."
  }),
  INDEX_EMPTY: entry({
    category: "index",
    retry: "U",
    http: 404,
    message: ({ capability, note, reason }) => note === void 0 ? `the index for ${capability} is empty and no job is building it` : `${note} is not in the index for ${capability}${reason === void 0 ? "" : ` (${reason})`} and no job is adding it`,
    hint: ({ note }) => `Call reindex to ${note === void 0 ? "build it" : "add it"}.`,
    actions: () => [{ kind: "tool_call", tool: "reindex", arguments: {}, why: "builds the index" }]
  }),
  INDEX_BUILDING: entry({
    category: "index",
    retry: "D",
    http: 503,
    retryAfterMs: 2e3,
    message: ({ done, total, note }) => {
      const progress = total === 0 ? "the notes are being listed" : `${done} of ${plural(total, "note")}`;
      return `${note === void 0 ? "the first index" : `the index for ${note}`} is being built: ${progress}`;
    },
    hint: ({ job_id }) => waitHint(job_id),
    actions: ({ job_id }) => [waitForJob(job_id, "waits for the first index")]
  }),
  INDEX_STALE: entry({
    category: "index",
    retry: "D",
    http: 409,
    retryAfterMs: 2e3,
    message: ({ pending, as_of, cause }) => {
      const why = cause === void 0 ? "did not catch up with the vault in time" : `could not catch up: [${cause}]`;
      const state = as_of === void 0 ? "" : `; it is as of ${as_of}`;
      return `require_fresh was set, and the index ${why}${state}${pending === 0 ? "" : `, ${plural(pending, "changed note")} pending`}`;
    },
    hint: () => "Call again later, or without require_fresh to use the index as it is; status shows why it is behind.",
    actions: () => [{ kind: "tool_call", tool: "status", arguments: {}, why: "shows how current the index is" }]
  }),
  INDEX_CONFLICT: entry({
    category: "index",
    retry: "D",
    http: 409,
    retryAfterMs: 2e3,
    message: ({ running, holder }) => {
      if (holder === void 0) return `another index job is running${running === void 0 ? "" : `: ${running}`}`;
      const { pid, client, heartbeat_age_ms: age } = holder;
      return `another process writes the index of this vault: ${quoted(client)}, pid ${pid}, last heartbeat ${age} ms ago`;
    },
    hint: ({ job_id, holder }) => {
      if (holder === void 0)
        return `Follow it with reindex and job_id ${job_id ?? "of that job"}, or cancel it first.`;
      const follow = job_id === void 0 ? "" : ` Follow its job with reindex and job_id ${job_id}.`;
      return `That process keeps the index up to date; you can read and write notes meanwhile.${follow}`;
    }
  }),
  INDEX_JOB_FAILED: entry({
    category: "index",
    retry: "U",
    http: 500,
    message: ({ job_id, phase, cause, reason }) => `index job ${job_id} failed while ${phase}: [${cause}] ${reason}`,
    hint: ({ advice }) => `Notes indexed so far are kept; the next run continues from there. ${advice}`
  }),
  EMBEDDER_MISMATCH: entry({
    category: "index",
    retry: "U",
    http: 409,
    message: ({ differs, job_id, done = 0, total = 0 }) => `the vectors in the index were made by a different model (they differ in ${differs.join(", ") || "an unknown part"})${job_id === void 0 ? "" : `; new vectors are being made: ${done} of ${plural(total, "note")}`}`,
    hint: ({ job_id }) => `${job_id === void 0 ? "Configure the model that made the index again, or call reindex to make new vectors; the old ones are kept until then." : waitHint(job_id)} search_text works meanwhile.`,
    actions: ({ job_id }) => [
      job_id === void 0 ? { kind: "tool_call", tool: "reindex", arguments: {}, why: "makes vectors with the current model" } : waitForJob(job_id, "waits for the new vectors"),
      SEARCH_TEXT
    ]
  })
};

// src/base/errors/input-errors.ts
var DATE_FIELDS = ["since", "until", "modified_since", "due_before", "due_after"];
var outlineHint = (outline, otherwise) => outline.length === 0 ? otherwise : `Its headings: ${outline.join(" \xB7 ")}`;
function notFoundMessage({ ref, unresolved_link, is, path = "" }) {
  if (is === "day") return `there is no daily note for ${ref} yet`;
  if (is === "not_indexed") return `${path} is in the vault and is not indexed yet`;
  if (is === "no_folder") return `there is no folder ${quoted(ref)}`;
  if (is !== void 0) return `${quoted(ref)} is ${is === "folder" ? "a folder" : "an attachment"}, not a note`;
  return `no note is named ${quoted(ref)}${unresolved_link ? "; notes link to that name, but it does not exist yet" : ""}`;
}
function notFoundHint({ suggestions, is, path = "" }) {
  if (is === "day") return `Its path would be \`${path}\`.`;
  if (is === "not_indexed")
    return "Call again in a few seconds, or call check_note, which says what it is waiting for.";
  if (is === "folder") return `List its notes with list_notes and folder ${quoted(path)}.`;
  if (is === "attachment")
    return `Only notes, canvases and bases are read. Find the notes that embed it with search_text.`;
  if (suggestions.length > 0) return `Similar names: ${codeList(suggestions)}.`;
  if (is === "no_folder") return "list_notes shows the paths of notes with their folders.";
  return "Look it up with list_notes or search_text. A note is named by its path, file name, alias or title.";
}
function notFoundActions({ ref, is, path = "" }) {
  const call = (tool, args, why) => [
    { kind: "tool_call", tool, arguments: args, why }
  ];
  if (is === "day") return call("create_note", { path: ref }, "creates the daily note");
  if (is === "not_indexed") return call("check_note", { note: path }, "says why it is not indexed");
  if (is === "folder") return call("list_notes", { folder: path }, "lists the notes in it");
  const name = path.slice(path.lastIndexOf("/") + 1);
  return is === "attachment" ? call("search_text", { query: `"${name}"` }, "finds the notes that embed it") : [];
}
var LIMIT_HINTS = {
  call: "Ask for less per call: use cursor for the next page, or split the input over several calls.",
  file: "Notes of this size are not read or indexed: split the file into smaller notes, or exclude it in vault.exclude.",
  resource: "Read the note in parts with read_notes: name a heading or lines, such as Note#Heading or Note:1-200."
};
var INPUT_ERRORS = {
  INVALID_INPUT: entry({
    category: "input",
    retry: "C",
    http: 400,
    message: ({ tool, issues }) => `${tool}: ${issues.map(({ path, rule }) => path === "" ? rule : `${path}: ${rule}`).join("; ")}`,
    hint: ({ issues, accepted }) => {
      const nearest = issues.find((issue) => issue.did_you_mean !== void 0)?.did_you_mean;
      const meant = nearest === void 0 ? "" : ` Did you mean \`${nearest}\`?`;
      const known = accepted.length === 0 ? "It takes no arguments." : `It accepts ${codeList(accepted)}.`;
      return `Correct the arguments and call again. ${known}${meant}`;
    }
  }),
  INVALID_QUERY: entry({
    category: "input",
    retry: "C",
    http: 400,
    message: ({ field, position, reason }) => DATE_FIELDS.includes(field) ? `${field} is not a date: ${reason}` : `${field} cannot be parsed: ${reason} at character ${position + 1}`,
    hint: ({ field }) => DATE_FIELDS.includes(field) ? "Write a date as 2026-11-20, 2026-11, today, @today, last week, 3 days ago or 7d." : "Put exact phrases in double quotes; a query needs at least one word without `-`."
  }),
  LIMIT_EXCEEDED: entry({
    category: "input",
    retry: "C",
    http: 413,
    message: ({ field, limit, actual }) => `${field} is ${actual}, the limit is ${limit}`,
    hint: ({ of = "call" }) => LIMIT_HINTS[of]
  }),
  /** `instead`: what to do, if a path inside the vault is not the answer. */
  PATH_NOT_ALLOWED: entry({
    category: "input",
    retry: "C",
    http: 403,
    message: ({ path, rule }) => `path ${quoted(path)} is not allowed: ${rule}`,
    hint: ({
      instead = "Use a path inside the vault, relative to it, with `/` between folders, that is not excluded."
    }) => instead
  }),
  BASE_INVALID: entry({
    category: "input",
    retry: "U",
    http: 422,
    message: ({ path, line, reason }) => `${path}:${line} is not a valid base: ${reason}`,
    hint: ({ path }) => `Ask the user to correct ${quoted(path)}; read_notes shows its text.`
  }),
  /** `place`: where in the base, such as `views.0.filters.and.1`. */
  BASE_UNSUPPORTED: entry({
    category: "input",
    retry: "C",
    http: 501,
    message: ({ path, view, line, what, place }) => `the view ${quoted(view)} of ${path} cannot be evaluated: ${what} in ${place}, line ${line}, is not supported`,
    hint: () => "Another view of the base may work, and list_notes filters notes by folder, tag, property and date."
  }),
  NOTE_NOT_FOUND: entry({
    category: "lookup",
    retry: "C",
    http: 404,
    message: notFoundMessage,
    hint: notFoundHint,
    actions: notFoundActions
  }),
  NOTE_AMBIGUOUS: entry({
    category: "lookup",
    retry: "C",
    http: 409,
    message: ({ ref, ref_kind }) => ref_kind === "folder" ? `${quoted(ref)} is both a note and a folder` : `several notes have the ${ref_kind} ${quoted(ref)}`,
    hint: () => "Call again with one of the choices."
  }),
  NOTE_PART_NOT_FOUND: entry({
    category: "lookup",
    retry: "C",
    http: 404,
    message: ({ path, part, line_count: lines }) => lines === void 0 ? `${path} has no part ${quoted(part)}` : `${path} has ${plural(lines, "line")}, so no ${quoted(part)}`,
    hint: ({ outline, line_count: lines }) => lines === void 0 ? outlineHint(outline, "The note has no headings; read all of it, or a range of lines with `:from-to`.") : lines === 0 ? "The note is empty." : `Give lines from 1 to ${lines}.`
  }),
  NOTE_PART_AMBIGUOUS: entry({
    category: "lookup",
    retry: "C",
    http: 409,
    message: ({ path, part }) => `${path} has several parts ${quoted(part)}`,
    hint: () => "Call again with one of the choices, or add the heading above it: `#Above#Below`."
  }),
  EDIT_TARGET_NOT_FOUND: entry({
    category: "lookup",
    retry: "C",
    http: 404,
    message: ({ path, target }) => `${path} does not contain ${quoted(target)}; nothing was written`,
    hint: ({ nearest, outline = [] }) => nearest === void 0 ? outlineHint(outline, "Read the note again and give the heading, block or text exactly as written.") : `The most similar line is ${nearest.line}: ${quoted(nearest.text)}.`
  }),
  EDIT_TARGET_AMBIGUOUS: entry({
    category: "lookup",
    retry: "C",
    http: 409,
    message: ({ path, target, count, expected, lines }) => `${path} contains ${quoted(target)} ${plural(count, "time")}, not ${expected} (line ${lines.join(", ")}); nothing was written`,
    hint: () => "Give the line it begins on, a longer text or heading path (`#Above#Below`), or the number of occurrences as count."
  }),
  JOB_NOT_FOUND: entry({
    category: "lookup",
    retry: "C",
    http: 404,
    message: ({ id }) => `no job has the id ${quoted(id)}`,
    hint: ({ recent }) => recent.length > 0 ? `Recent jobs: ${codeList(recent)}.` : "No job has run since the server started."
  }),
  CHANGE_NOT_FOUND: entry({
    category: "lookup",
    retry: "C",
    http: 404,
    message: ({ id }) => `no change or plan has the id ${quoted(id)}, or it has expired or was already undone`,
    hint: ({ recent }) => recent.length > 0 ? `Recent: ${codeList(recent)}.` : "None is known. A new dry run makes a new plan."
  }),
  VAULT_NOT_FOUND: entry({
    category: "lookup",
    retry: "C",
    http: 404,
    message: ({ path }) => `no folder at ${path}`,
    hint: () => "Name the folder with your notes with --vault DIR."
  }),
  VAULT_AMBIGUOUS: entry({
    category: "lookup",
    retry: "C",
    http: 409,
    message: ({ count }) => `found ${count} vaults and none was selected`,
    hint: () => "Select one with --vault, or serve all of them with --all."
  })
};

// src/base/errors/provider-errors.ts
var REQUESTS = {
  embedding: "the embedding request",
  llm: "the language-model request",
  rerank: "the rerank request"
};
function failed(details, cause) {
  const { capability, provider, endpoint, model, elapsed_ms, attempts } = details;
  const server = endpoint === void 0 ? provider : `${provider} at ${endpoint}${byProxy(details)}`;
  return `${REQUESTS[capability]} failed: ${cause} (${server}, model ${model}, ${plural(attempts, "attempt")} in ${elapsed_ms} ms)`;
}
var byProxy = ({ proxy }) => proxy === void 0 ? "" : ` through the proxy ${proxy}`;
var fallback = ({ capability }) => capability === "embedding" ? [SEARCH_TEXT] : [];
var WITHOUT_MODEL = {
  embedding: " search_text works without the model.",
  llm: "",
  rerank: " With rerank: false the search works without this model."
};
var advise = ({ capability }, hint) => `${hint}${WITHOUT_MODEL[capability]}`;
var SERVERS = { ollama: "Ollama", "openai-compatible": "the server" };
var CONNECTION_ERRORS = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection reset",
  ENOTFOUND: "host not found",
  EAI_AGAIN: "host name lookup failed for now",
  UND_ERR_SOCKET: "connection lost",
  EPROTO: "TLS failed"
};
var PHASES = {
  queue: "queued",
  headers: "no response yet",
  body: "the response was incomplete",
  backoff: "waiting to retry",
  load: "loading the model"
};
function timeoutCause({ timeout_ms, clipped, phase, cold_start }) {
  const limit = clipped ? `${timeout_ms} ms, the time the call had left` : `${timeout_ms} ms`;
  return `no answer within ${limit}: ${PHASES[phase] ?? phase}${cold_start ? ", the model was not loaded" : ""}`;
}
function timeoutHint({ cold_start, clipped, capability }) {
  if (cold_start) return "The model is being loaded in the background; call again in a while.";
  if (clipped) return "The call ran out of time; ask for less per call.";
  const less = capability === "rerank" ? "lower providers.rerank.top" : "shorten the input";
  return `Check that the server responds, ${less}, or raise providers.${capability}.timeout.`;
}
function missingModelHint({
  provider,
  model,
  capability,
  installed
}) {
  const get = provider === "ollama" ? `Ask the user to run \`ollama pull ${model}\`` : "Ask the user to load it";
  const others = installed.length === 0 ? "" : ` Installed: ${codeList(installed.map(cut))}.`;
  return `${get}, or to set another model in providers.${capability}.model.${others}`;
}
function pullText({ auto_pull: mode, pull_failure: cause }) {
  if (mode !== "failed") return "";
  return `, and downloading it failed${cause === void 0 ? "" : `: ${cause}`}`;
}
var PROVIDER_ERRORS = {
  PROVIDER_UNAVAILABLE: entry({
    category: "provider",
    retry: "D*",
    http: 503,
    retryAfterMs: 5e3,
    message: ({ cause_code, ...details }) => {
      const { provider, endpoint, model, proxy } = details;
      const cause = CONNECTION_ERRORS[cause_code] ?? cause_code;
      if (endpoint === void 0) return `cannot reach the model ${model} (${cause})`;
      const target = `${SERVERS[provider] ?? "the server"} at ${endpoint}${byProxy(details)}`;
      const isDown = cause_code === "ECONNREFUSED" && proxy === void 0;
      return `cannot reach ${target}${isDown ? ": is it running?" : ` (${cause})`}`;
    },
    hint: (details) => advise(
      details,
      `Ask the user to start ${SERVERS[details.provider] ?? "the server"} there, or to correct providers.${details.capability}.endpoint; then call again.`
    ),
    actions: fallback
  }),
  PROVIDER_TIMEOUT: entry({
    category: "provider",
    retry: "D",
    http: 504,
    retryAfterMs: 5e3,
    message: (details) => failed(details, timeoutCause(details)),
    hint: (details) => advise(details, timeoutHint(details)),
    actions: fallback
  }),
  PROVIDER_BUSY: entry({
    category: "provider",
    retry: "D",
    http: 503,
    retryAfterMs: 5e3,
    message: (details) => failed(details, `the server is busy (${quoted(details.source)})`),
    hint: (details) => advise(details, "Wait, then call again."),
    actions: fallback
  }),
  PROVIDER_RATE_LIMITED: entry({
    category: "provider",
    retry: "D",
    http: 429,
    retryAfterMs: 1e4,
    message: (details) => failed(details, `too many requests (${quoted(details.source)})`),
    hint: (details) => advise(details, "Wait for the time given, then call again."),
    actions: fallback
  }),
  PROVIDER_AUTH_FAILED: entry({
    category: "provider",
    retry: "U",
    http: 401,
    message: (details) => failed(details, `access denied (HTTP ${details.status})`),
    hint: (details) => advise(
      details,
      `Ask the user to check the key: providers.${details.capability}.api_key or headers, and the environment variable it comes from.`
    ),
    actions: fallback
  }),
  PROVIDER_MODEL_MISSING: entry({
    category: "provider",
    retry: "U",
    http: 424,
    message: (details) => failed(details, `model not found${pullText(details)}`),
    hint: (details) => advise(details, missingModelHint(details)),
    actions: (details) => [
      ...details.provider === "ollama" ? [
        {
          kind: "command",
          command: `ollama pull ${details.model}`,
          run_by: "user",
          why: "downloads the model"
        }
      ] : [],
      ...fallback(details)
    ]
  }),
  PROVIDER_MODEL_PULLING: entry({
    category: "provider",
    retry: "D",
    http: 503,
    retryAfterMs: 1e4,
    message: (details) => failed(details, `the model is being downloaded, ${details.percent} %`),
    hint: (details) => advise(details, `Follow it with reindex and job_id ${details.job_id}, then call again.`),
    actions: (details) => [waitForJob(details.job_id, "waits for the model"), ...fallback(details)]
  }),
  PROVIDER_MODEL_UNSUITABLE: entry({
    category: "provider",
    retry: "U",
    http: 422,
    message: (details) => failed(details, `the model is not suitable: ${details.reason}`),
    hint: (details) => advise(details, `Ask the user to set another model in providers.${details.capability}.model.`),
    actions: fallback
  }),
  PROVIDER_INPUT_TOO_LONG: entry({
    category: "provider",
    retry: "C",
    http: 413,
    message: (details) => failed(details, "the text is longer than the context of the model"),
    hint: (details) => details.capability === "rerank" ? advise(details, "Ask the user to set providers.rerank.context to the tokens that the model reads.") : `Shorten the text${details.limit === void 0 ? "" : `; the model accepts ${details.limit} tokens`}.`
  }),
  PROVIDER_REJECTED_INPUT: entry({
    category: "provider",
    retry: "N",
    http: 422,
    message: (details) => failed(details, `input rejected (HTTP ${details.status} ${quoted(details.said)})`),
    hint: (details) => advise(details, "The server rejects this input; other inputs may succeed."),
    actions: fallback
  }),
  PROVIDER_BAD_RESPONSE: entry({
    category: "provider",
    retry: "N",
    http: 502,
    message: (details) => failed(details, `unusable answer: expected ${details.expected}, received ${details.received}`),
    hint: (details) => advise(details, `Ask the user to run \`${commandLine("doctor")}\` and to check the server that runs the model.`),
    actions: (details) => [DOCTOR, ...fallback(details)]
  }),
  PROVIDER_ERROR: entry({
    category: "provider",
    retry: "D",
    http: 502,
    retryAfterMs: 5e3,
    message: (details) => failed(details, `HTTP ${details.status} ${quoted(details.said)}`),
    hint: (details) => advise(details, `Call again; if it keeps failing, check the log of ${details.provider}.`),
    actions: fallback
  }),
  PROVIDER_CIRCUIT_OPEN: entry({
    category: "provider",
    retry: "D",
    http: 503,
    retryAfterMs: 15e3,
    message: (details) => failed(details, `not tried after repeated failures, last: [${details.last_code}] ${details.last_cause}`),
    hint: (details) => advise(details, "The provider is tried again after the cool-down; call again then."),
    actions: fallback
  }),
  PROVIDER_ENDPOINT_UNSUPPORTED: entry({
    category: "provider",
    retry: "U",
    http: 424,
    message: (details) => failed(details, `HTTP ${details.status} for ${details.path}`),
    hint: (details) => advise(
      details,
      `The server is not ${details.provider}, is outdated, or redirects: check the path in providers.${details.capability}.endpoint.`
    ),
    actions: fallback
  })
};

// src/base/errors/vault-errors.ts
import { getSystemErrorMap } from "node:util";
function faultLine(fault) {
  const at = fault.line === void 0 ? fault.file : `${fault.file}:${fault.line}:${fault.column ?? 1}`;
  const allowed = fault.allowed?.length ? `, allowed: ${fault.allowed.join(", ")}` : "";
  const nearest = fault.did_you_mean === void 0 ? "" : `, did you mean \`${fault.did_you_mean}\`?`;
  return `${at}: ${fault.what}${allowed}${nearest}`;
}
var NO_PERMISSION = "The server lacks permission to read it; ask the user to change that.";
var UNREADABLE_HINTS = {
  ENOENT: "The file no longer exists; the next scan removes it from the index.",
  EACCES: NO_PERMISSION,
  EPERM: NO_PERMISSION,
  EISDIR: "This is a folder with the name of a note.",
  EILSEQ: "It is not UTF-8 text, so writing it would lose data. Ask the user to convert it.",
  EVICTED: "The file is in the cloud and not on this machine; open it once in its app to download it."
};
var NO_SPACE = "ask the user to free some disk space, then call again.";
var WRITE_ADVICE = {
  ENOSPC: NO_SPACE,
  EDQUOT: NO_SPACE,
  EIO: "ask the user to check the disk.",
  EROFS: "ask the user to mount the file system for writing.",
  EBUSY: "another process is writing to this vault: call again later.",
  ETIMEDOUT: "ask the user to check that the folder responds.",
  ELIBACC: `ask the user to run \`${commandLine("doctor")}\`, which names the native module that does not load, and to reinstall.`,
  ENOLCK: "this system gives no locks, without which two processes could overwrite each other; ask the user to move the vault."
};
var FILE_ADVICE = "ask the user to check the permissions of the file and its folder.";
var LOG_ADVICE = "ask the user to make that folder writable, or to name another one with --state-dir.";
function systemError(errno) {
  const meaning = [...getSystemErrorMap().values()].find(([name]) => name === errno)?.[1];
  return meaning === void 0 ? errno : `${errno}: ${meaning}`;
}
function spaceFacts({ free_bytes: free, needed_bytes: needed }) {
  const facts = [
    ...needed === void 0 ? [] : [`the change needs ${needed.toLocaleString("en")} bytes`],
    ...free === void 0 ? [] : [`${free.toLocaleString("en")} bytes are free`]
  ];
  return facts.length === 0 ? "" : `; ${facts.join(", ")}`;
}
var VAULT_ERRORS = {
  CAPABILITY_NOT_CONFIGURED: entry({
    category: "capability",
    retry: "U",
    http: 501,
    message: ({ tool, capability }) => `${tool} needs the capability ${capability}, which is not configured`,
    hint: ({ config_key, alternatives }) => `The user can turn it on with ${config_key} in the config and a restart.${alternatives.length > 0 ? ` Tools that work without it: ${codeList(alternatives)}.` : ""}`,
    actions: ({ config_key }) => [{ kind: "config", key: config_key, why: "adds the capability" }]
  }),
  READ_ONLY: entry({
    category: "capability",
    retry: "U",
    http: 403,
    message: ({ tool }) => `${tool} writes to the vault, which is read-only`,
    hint: ({ config_key }) => `The user can allow it with ${config_key}: read-write in the config and a restart.`,
    actions: ({ config_key }) => [{ kind: "config", key: config_key, why: "lets tools write to the vault" }]
  }),
  CONFIG_INVALID: entry({
    category: "capability",
    retry: "U",
    http: 500,
    message: ({ faults }) => faults.map(faultLine).join("\n"),
    hint: ({ faults, advice }) => {
      if (advice !== void 0) return advice;
      const isInFile = faults.some(
        ({ file, key, line }) => (key !== void 0 || line !== void 0) && !/^(?:--|\$)/.test(file)
      );
      return `Correct this and start again.${isInFile ? " config.example.yaml in the package explains every key." : ""}`;
    }
  }),
  CONFIG_MISSING: entry({
    category: "capability",
    retry: "U",
    http: 500,
    message: ({ key, looked_in }) => `${key} is not set; looked in ${looked_in.join(", ")}`,
    hint: ({ is_init: isInit }) => isInit ? "Name the folder with --vault DIR or $OBSIDIAN_VAULT_PATH." : `Run \`${programName()} init\` to write a config file, or name the folder with --vault DIR or $OBSIDIAN_VAULT_PATH.`
  }),
  /** `name` is set if the endpoint's name, and not its model, leads to another machine. */
  EGRESS_BLOCKED: entry({
    category: "capability",
    retry: "U",
    http: 403,
    message: ({ model, endpoint, host, name }) => name === void 0 ? `the model ${model} at ${endpoint} runs on another machine (${host}); no text was sent` : `${name} has the address of another machine (${host}); nothing was sent to ${endpoint}`,
    hint: ({ capability, name }) => `${name === void 0 ? "Choose a model that runs on this machine" : `Correct the address of ${name} in the hosts file or use 127.0.0.1 in providers.${capability}.endpoint`}, or allow text to leave it with providers.${capability}.allow_remote: true and a restart.`,
    actions: ({ capability }) => [
      { kind: "config", key: `providers.${capability}.allow_remote`, why: "lets text from notes leave the machine" }
    ]
  }),
  VAULT_UNAVAILABLE: entry({
    category: "vault",
    retry: "D*",
    http: 503,
    retryAfterMs: 5e3,
    message: ({ errno }) => `the vault folder is not available (${errno})`,
    hint: () => "Check that the folder is mounted and readable, then call again. The index is kept."
  }),
  FILE_UNREADABLE: entry({
    category: "vault",
    retry: "D*",
    http: 500,
    retryAfterMs: 5e3,
    message: ({ path, errno }) => `${path} cannot be read (${errno})`,
    hint: ({ errno }) => UNREADABLE_HINTS[errno] ?? "Check the file and its permissions, then call again."
  }),
  PROPERTIES_INVALID: entry({
    category: "vault",
    retry: "U",
    http: 422,
    message: ({ path, line, column, reason }) => `${path}:${line}:${column}: the front matter is not valid YAML: ${reason}`,
    hint: () => "The text of the note is indexed, its properties are not. Fix the front matter in an editor."
  }),
  ATTACHMENT_INVALID: entry({
    category: "vault",
    retry: "U",
    http: 422,
    message: ({ path, expected }) => `${path} is not ${expected}`,
    hint: ({ of = "image" }) => of === "pdf" ? "The PDF is listed, but its text cannot be searched or read. Open it in another program to check it." : "The file has the extension of such a file, but not its content. Check the file in the vault."
  }),
  CANVAS_INVALID: entry({
    category: "vault",
    retry: "U",
    http: 422,
    message: ({ path, reason }) => `${path} is not a valid canvas: ${reason}`,
    hint: () => "The canvas is listed without its links. Open it in Obsidian to fix it."
  }),
  FILE_WRITE_FAILED: entry({
    category: "vault",
    retry: "U",
    http: 507,
    message: (details) => `${details.path} was not written: ${details.step} failed (${systemError(details.errno)})${spaceFacts(details)}`,
    hint: ({ path, errno, original_intact }) => `${original_intact ? "The original is intact" : "The change may be half written; the next write or start completes it or rolls it back"}; ${WRITE_ADVICE[errno] ?? (path.startsWith("the change log in ") ? LOG_ADVICE : FILE_ADVICE)}`
  })
};

// src/base/errors.ts
var ERRORS = Object.freeze({
  ...INPUT_ERRORS,
  ...CONFLICT_ERRORS,
  ...VAULT_ERRORS,
  ...INDEX_ERRORS,
  ...PROVIDER_ERRORS,
  ...DOWNLOAD_ERRORS,
  ...CONTROL_ERRORS
});
var OWN_TEXTS = ["BATCH_FAILED", "CONFIG_INVALID"];
var DEFAULT_RETRY_AFTER_MS = 1e3;
var VaultgraphError = class extends Error {
  name = "VaultgraphError";
  code;
  details;
  /** The details with long texts cut: message, hint and actions are made of these, and answers show them. */
  shown;
  errorId;
  choices;
  retry;
  untried;
  #retryAfterMs;
  constructor(code, details, options = {}) {
    const shown = OWN_TEXTS.includes(code) ? details : cutTexts(details);
    const message = ERRORS[code].message(shown);
    super(options.untried ? `not tried: ${message}` : message, { cause: options.cause });
    this.code = code;
    this.untried = options.untried ?? false;
    this.details = details;
    this.shown = shown;
    this.choices = options.choices;
    this.retry = options.retry ?? ERRORS[code].retry;
    this.#retryAfterMs = options.retryAfterMs;
    this.errorId = `e_${randomBytes(6).toString("hex")}`;
  }
  get entry() {
    return ERRORS[this.code];
  }
  get category() {
    return this.entry.category;
  }
  get hint() {
    return this.entry.hint(this.shown);
  }
  get actions() {
    return this.entry.actions?.(this.shown) ?? [];
  }
  /** Whether the same call may succeed later. */
  get retryable() {
    return this.retry === "D" || this.retry === "D*";
  }
  /** How long to wait; undefined exactly if `retryable` is false. */
  get retryAfterMs() {
    return this.retryable ? this.#retryAfterMs ?? this.entry.retryAfterMs ?? DEFAULT_RETRY_AFTER_MS : void 0;
  }
  /** The wait that the failing service itself asked for. */
  get requestedWaitMs() {
    return this.#retryAfterMs;
  }
  get fixBy() {
    if (this.retry === "C") return "caller";
    return this.retry === "U" || this.retry === "D*" ? "user" : "nobody";
  }
};
function toVaultgraphError(thrown) {
  if (thrown instanceof VaultgraphError) return thrown;
  if (thrown instanceof Error && thrown.name === "AbortError" && thrown.cause instanceof VaultgraphError)
    return thrown.cause;
  const kind = thrown instanceof Error ? thrown.name : typeof thrown;
  return new VaultgraphError("INTERNAL", { kind }, { cause: thrown });
}

export {
  VaultgraphError,
  toVaultgraphError
};
