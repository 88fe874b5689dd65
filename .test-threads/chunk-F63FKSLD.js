import{createRequire}from'node:module';const require=createRequire(import.meta.url);

// src/base/worker-threads.ts
import { write } from "node:fs";
import { getEnvironmentData, setEnvironmentData } from "node:worker_threads";

// src/base/system/system-rules.ts
import { constants } from "node:fs";
import { posix, win32 } from "node:path";
var [O_EXLOCK, UV_FS_O_EXLOCK] = [32, 268435456];
var LINUX = {
  paths: posix,
  appFolder: { variable: "XDG_CONFIG_HOME", byDefault: ".config" },
  sharedFolder: { byDefault: "/tmp" },
  lockFlag: void 0,
  canLockFolders: true,
  canSyncFolders: true,
  canRemoveOpenFiles: true,
  hasModes: true,
  hasProc: true,
  mountList: "file",
  keepsFreedMemory: true,
  canEvictFiles: false,
  missesNewFolders: true,
  unsendable: {}
};
var MACOS = {
  ...LINUX,
  appFolder: { byDefault: "Library/Application Support" },
  lockFlag: O_EXLOCK | (constants.O_NONBLOCK ?? 0),
  hasProc: false,
  mountList: "command",
  keepsFreedMemory: false,
  canEvictFiles: true,
  missesNewFolders: false
};
var WINDOWS = {
  paths: win32,
  appFolder: { variable: "APPDATA", byDefault: "AppData\\Roaming" },
  sharedFolder: { variable: "ProgramData", byDefault: "C:\\ProgramData" },
  lockFlag: UV_FS_O_EXLOCK,
  canLockFolders: false,
  canSyncFolders: false,
  canRemoveOpenFiles: false,
  hasModes: false,
  hasProc: false,
  mountList: void 0,
  keepsFreedMemory: false,
  canEvictFiles: false,
  missesNewFolders: false,
  // A closed console is SIGHUP for the program in it, but the system cannot send that.
  unsendable: { SIGHUP: "SIGTERM" }
};
function rulesFor(platform) {
  if (platform === "win32") return WINDOWS;
  return platform === "darwin" ? MACOS : LINUX;
}
var ownRules = () => rulesFor(process.platform);

// src/base/system/signals.ts
var END_SIGNALS = Object.freeze({ SIGHUP: 129, SIGINT: 130, SIGTERM: 143 });
function killSelf() {
  process.kill(process.pid, "SIGKILL");
}

// src/base/worker-threads.ts
var MAIN_THREAD = "vaultgraph main thread";
var BEATS = 0;
var IS_FOUND = 1;
var MAX_SILENT_CHECKS = 8;
var STDERR = 2;
var LAST_LINE_MS = 100;
function watchMainThread() {
  const { cells, checkMs } = getEnvironmentData(MAIN_THREAD) ?? {};
  if (cells === void 0) return;
  let beats = 0;
  let silentChecks = 0;
  setInterval(() => {
    const now = Atomics.load(cells, BEATS);
    silentChecks = now === beats ? silentChecks + 1 : 0;
    beats = now;
    if (silentChecks === MAX_SILENT_CHECKS && Atomics.exchange(cells, IS_FOUND, 1) === 0) killStuck();
  }, checkMs).unref();
}
function killStuck() {
  const line = { ts: (/* @__PURE__ */ new Date()).toISOString(), level: "error", event: "main_thread_stuck" };
  write(STDERR, `${JSON.stringify(line)}
`, () => void 0);
  setTimeout(killSelf, LAST_LINE_MS);
}

// src/base/errno.ts
function errnoOrRethrow(thrown) {
  const code = codeOf(thrown);
  if (code === void 0) throw thrown;
  return code;
}
var isErrno = (thrown, ...errnos) => errnos.includes(codeOf(thrown) ?? "");
function codeOf(thrown) {
  return thrown instanceof Error && "code" in thrown ? String(thrown.code) : void 0;
}

// src/providers/processes/process-identity.ts
import { existsSync, readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
function ownIdentity() {
  if (!ownRules().hasProc)
    return { pid: process.pid, started: "", machine: `${process.platform} ${hostname()}`, host: "" };
  const pid = Number(readlinkSync("/proc/self"));
  const { boot, namespace } = pidNamespace();
  const machineId = existsSync("/etc/machine-id") ? readFileSync("/etc/machine-id", "utf8").trim() : "";
  const host = `${machineId} ${hostname()}`;
  return { pid, started: startTime(statFile(pid)) ?? "", machine: `${boot} ${namespace}`, host };
}
function hasEnded({ pid, started, machine: machine2, host }) {
  const own = ownIdentity();
  if (machine2 !== own.machine) return own.host !== "" && host === own.host && bootOf(machine2) !== bootOf(own.machine);
  return ownRules().hasProc ? startTime(statFile(pid)) !== started : !isRunning(pid);
}
var statFile = (pid) => `/proc/${pid}/stat`;
var bootOf = (machine2) => machine2.split(" ")[0] ?? "";
function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return !isErrno(thrown, "ESRCH");
  }
}
var [STATE, STARTED] = [0, 19];
var ENDED_STATES = ["Z", "X"];
function startTime(statFile2) {
  try {
    const stat = readFileSync(statFile2, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return ENDED_STATES.includes(fields[STATE] ?? "") ? void 0 : fields[STARTED];
  } catch (thrown) {
    if (isErrno(thrown, "ENOENT", "ESRCH")) return void 0;
    throw thrown;
  }
}
var machine;
function machineName() {
  machine ??= ownRules().hasProc ? `${hostname()} ${pidNamespace().boot}` : hostname();
  return machine;
}
function pidNamespace() {
  const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  return { boot, namespace: readlinkSync("/proc/self/ns/pid") };
}

// src/base/system/rename.ts
import fs from "node:fs";

// src/base/system/sleep.ts
function sleepSync(ms) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

// src/base/system/rename.ts
var TEMPORARILY_LOCKED = ["EACCES", "EBUSY", "EPERM"];
var MAX_TRIES = 4;
var PAUSE_MS = 15;
function renamePatientlySync(from, to, call = fs.renameSync) {
  for (let tries = 1; ; tries += 1) {
    try {
      call(from, to);
      return;
    } catch (thrown) {
      rethrowUnlessLocked(thrown, tries);
      sleepSync(PAUSE_MS);
    }
  }
}
function rethrowUnlessLocked(thrown, tries) {
  if (tries === MAX_TRIES || !isErrno(thrown, ...TEMPORARILY_LOCKED)) throw thrown;
}

export {
  rulesFor,
  ownRules,
  watchMainThread,
  errnoOrRethrow,
  isErrno,
  ownIdentity,
  hasEnded,
  isRunning,
  startTime,
  machineName,
  pidNamespace,
  sleepSync,
  renamePatientlySync
};
