import{createRequire}from'node:module';const require=createRequire(import.meta.url);
import {
  renamePatientlySync
} from "./chunk-D4UMDJ74.js";
import {
  APPLICATION_ID,
  ChangeWriter,
  MAX_KEPT_ANSWERS,
  MAX_KEPT_ANSWER_LENGTH,
  MAX_KEPT_BYTES,
  SCHEMA_STEPS,
  activate,
  addChecksumFunction,
  addRequest,
  applyVectors,
  checkLease,
  checkpointRarely,
  createRows,
  deleteDropped,
  deleteUnused,
  displayPath,
  dropUnfinished,
  faultsInFile,
  loadEngine,
  openGeneration,
  openReader,
  openWriter,
  refuseNewer,
  releaseLease,
  retryWhileBusy,
  takeLease,
  toStoreError,
  updateHolder,
  versionOf
} from "./chunk-GSFGFQZD.js";
import "./chunk-MMSFLNP5.js";
import {
  watchMainThread
} from "./chunk-KOKIPM3J.js";
import "./chunk-OTTFF52N.js";
import "./chunk-XGCGB3CQ.js";
import "./chunk-NVDSTPDZ.js";
import "./chunk-E4QZ4GQG.js";
import {
  VaultgraphError,
  toVaultgraphError
} from "./chunk-DGCWP52G.js";
import "./chunk-ZNZW5SZL.js";

// src/providers/sqlite/write/writer-thread.ts
import { parentPort, workerData } from "node:worker_threads";

// src/providers/sqlite/database/migrate-database.ts
import { rmSync } from "node:fs";
var MAX_WAIT_MS = 6e5;
async function migrateDatabase(engine2, file2, steps, checkCancelled) {
  const attempt = { op: "migrate", file: file2, checkCancelled };
  const connection = await retryWhileBusy(attempt, () => new engine2(file2, { timeout: 0 }), MAX_WAIT_MS);
  try {
    addChecksumFunction(connection);
    await retryWhileBusy(attempt, () => markAsOurs(connection), MAX_WAIT_MS);
    await retryWhileBusy(attempt, () => connection.exec("BEGIN IMMEDIATE"), MAX_WAIT_MS);
    await migrateInTransaction(engine2, connection, attempt, steps);
  } catch (thrown) {
    throw toStoreError(thrown, attempt);
  } finally {
    connection.close();
  }
}
async function migrateInTransaction(engine2, connection, { file: file2, checkCancelled }, steps) {
  const from = versionOf(connection);
  refuseNewer(from, steps);
  if (from === steps.length) return;
  const backup = from === 0 ? void 0 : await createBackup(engine2, file2, from);
  for (const [version, sql] of steps.entries()) {
    checkCancelled();
    if (version < from) continue;
    try {
      connection.exec(sql);
    } catch (cause) {
      if (backup === void 0) throw cause;
      const details = { from, to: steps.length, step: version + 1, backup: displayPath(backup) };
      throw new VaultgraphError("STORE_MIGRATION_FAILED", details, { cause });
    }
  }
  connection.pragma(`user_version = ${steps.length}`);
  connection.exec("COMMIT");
}
function markAsOurs(connection) {
  if (connection.inTransaction) connection.exec("ROLLBACK");
  if (connection.pragma("application_id", { simple: true }) !== APPLICATION_ID) {
    connection.exec(`BEGIN; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA application_id = ${APPLICATION_ID}; COMMIT`);
  }
  connection.pragma("journal_mode = WAL");
}
async function createBackup(engine2, file2, version) {
  const backup = `${file2}.schema-${version}`;
  const partial = `${backup}.part`;
  const connection = openReader(engine2, file2);
  try {
    rmSync(partial, { force: true });
    await connection.backup(partial);
    renamePatientlySync(partial, backup);
    return backup;
  } catch (thrown) {
    rmSync(partial, { force: true });
    throw toStoreError(thrown, { op: "backup", file: backup });
  } finally {
    connection.close();
  }
}

// src/providers/sqlite/write/answer-cache.ts
function cacheAnswer(rows, key, answer) {
  if (answer.length > MAX_KEPT_ANSWER_LENGTH)
    throw new VaultgraphError("INTERNAL", { kind: "an answer too long to keep" });
  rows.run("DELETE FROM answers WHERE key = ?", key);
  const bytes = Buffer.byteLength(key) + Buffer.byteLength(answer);
  rows.run("INSERT INTO answers (key, bytes, answer) VALUES (?, ?, ?)", key, bytes, answer);
  deleteOldest(rows);
}
function deleteOldest(rows) {
  const counted = `SELECT id, sum(bytes) OVER newest AS total, row_number() OVER newest AS place
    FROM answers WINDOW newest AS (ORDER BY id DESC)`;
  const sql = `DELETE FROM answers WHERE id IN (SELECT id FROM (${counted}) WHERE total > ? OR place > ?)`;
  rows.run(sql, MAX_KEPT_BYTES, MAX_KEPT_ANSWERS);
}

// src/providers/sqlite/write/writer-thread.ts
var Cancelled = class extends Error {
};
var { file } = workerData;
var engine = loadEngine();
var session;
watchMainThread();
parentPort?.on("message", async (request) => {
  parentPort?.postMessage(request === "close" ? close() : await replyTo(request));
});
function close() {
  closeSession();
  return { kind: "done", result: void 0 };
}
async function replyTo(request) {
  const checkCancelled = () => {
    if (Atomics.load(request.cancelled, 0) === 1) throw new Cancelled();
  };
  try {
    const attempt = { op: request.op, file, checkCancelled };
    return { kind: "done", result: await retryWhileBusy(attempt, () => perform(request, checkCancelled)) };
  } catch (thrown) {
    closeSession();
    if (thrown instanceof Cancelled) return { kind: "cancelled" };
    const { code, details, retry, cause } = toVaultgraphError(thrown);
    return { kind: "failed", code, details, retry, cause: cause instanceof Error ? cause.stack : void 0 };
  }
}
function perform(request, checkCancelled) {
  if (request.op === "integrity") return faultsInFile(engine, file);
  if (request.op === "migrate") return migrateDatabase(engine, file, SCHEMA_STEPS, checkCancelled);
  session ??= openSession();
  const current = session;
  const { connection } = current;
  const result = connection.transaction(() => write(current, request, checkCancelled)).immediate();
  if (request.op === "completeScan") cleanUpAfterScan(connection);
  if (request.op === "activate" || request.op === "sweepVectors")
    deleteInBatches(current, request, deleteDropped, checkCancelled);
  if (request.op === "sweepVectors") deleteInBatches(current, request, deleteUnused, checkCancelled);
  return result;
}
function write(session2, request, checkCancelled) {
  const now = (/* @__PURE__ */ new Date()).toISOString();
  const { rows } = session2;
  const { token } = request;
  switch (request.op) {
    case "takeLease":
      return takeLease(rows, request.request, token, now);
    case "publish":
      return updateHolder(rows, request.update, token, now);
    case "releaseLease":
      return releaseLease(rows, token);
    case "requestFromLeader":
      return addRequest(rows, request.request);
    case "cacheAnswer":
      return cacheAnswer(rows, request.key, request.answer);
    default:
      checkLease(rows, token, now);
      return writeIndex(session2, request, now, checkCancelled);
  }
}
function writeIndex({ rows, changes }, request, now, checkCancelled) {
  switch (request.op) {
    case "apply":
      return { revision: changes.apply(request.changes, now, checkCancelled) };
    case "completeScan":
      return changes.completeScan(request.at);
    case "reset":
      return changes.reset();
    case "openGeneration":
      return openGeneration(rows, request.role, request.fingerprint, now);
    case "applyVectors":
      return applyVectors(rows, request.generation, request.changes, now, checkCancelled);
    case "activate":
      return activate(rows, request.generation, now);
    case "sweepVectors":
      return dropUnfinished(rows, request.kept);
  }
}
function deleteInBatches({ connection, rows }, { token }, deleteBatch, checkCancelled) {
  const batch = connection.transaction(() => {
    checkLease(rows, token, (/* @__PURE__ */ new Date()).toISOString());
    return deleteBatch(rows);
  });
  while (batch.immediate()) checkCancelled();
}
var MAX_FREE_SHARE = 0.01;
var MAX_RETURNED_PAGES = 16e3;
function cleanUpAfterScan(connection) {
  const free = connection.pragma("freelist_count", { simple: true });
  const pages = connection.pragma("page_count", { simple: true });
  if (free > pages * MAX_FREE_SHARE) connection.pragma(`incremental_vacuum(${MAX_RETURNED_PAGES})`);
  connection.pragma("wal_checkpoint(TRUNCATE)");
  closeSession();
}
function openSession() {
  const connection = openWriter(engine, file);
  const rows = createRows(connection);
  if (rows.value("SELECT scanned_at FROM state") === null) checkpointRarely(connection);
  return { connection, rows, changes: new ChangeWriter(rows) };
}
function closeSession() {
  session?.connection.close();
  session = void 0;
}
