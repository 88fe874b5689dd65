// Takes the write lock of a database, reports it, and holds it until its input ends.
import Database from 'better-sqlite3';

const database = new Database(process.argv[2]);
database.exec('BEGIN IMMEDIATE');
process.stdout.write('locked\n');
process.stdin.resume();
process.stdin.once('end', () => database.close());
