import {
  closeSync,
  existsSync,
  fdatasyncSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { WorkspaceEvent } from '../../../src/index.ts';
import { RelayError } from './config.ts';

/** An event that has not been delivered yet. */
export interface Pending {
  event: WorkspaceEvent;
  /** The time of the first failure, in milliseconds since 1970; undefined before it. */
  failingSince?: number | undefined;
}

/** A line of the journal. */
type Line =
  /** The place in the feed. It also stands before the first event. */
  | { cursor: string }
  /** An event was received; its cursor is the place in the feed, unless the event is a dead letter that is sent again. */
  | { event: WorkspaceEvent; since?: number; again?: true }
  /** The first failure of an event. */
  | { failing: string; since: number }
  /** An event was delivered, or is in the file of dead letters. */
  | { done: string };

/** A journal is written again, with its current state only, if it is longer than this and than twice its state. */
const compactBytes = 1_000_000;

/**
 * The state of a destination on disk: the place in the feed, and the events that are not delivered. A change appends a
 * line. A killed process loses no complete line. A power cut may remove the last lines, and what they say happens again:
 * the events are read from the feed, and delivered with the same ID. A line is never missing before one that is there.
 */
export class Journal {
  readonly pending = new Map<string, Pending>();
  cursor: string | undefined;
  readonly #path: string;
  #file: number;
  #bytes = 0;
  #isDirty = false;
  #bytesOfState = 0;

  /** @throws RelayError if the journal is damaged */
  constructor(stateDir: string, name: string) {
    this.#path = join(stateDir, `${name}.journal`);
    const end = existsSync(this.#path) ? this.#load(readFileSync(this.#path)) : 0;
    this.#file = openSync(this.#path, 'a', 0o600);
    // The beginning of a line that a killed process was writing.
    ftruncateSync(this.#file, end);
    this.#bytes = end;
    this.#compact();
  }

  /** Sets the place in the feed, for example after events of other types. */
  moveTo(cursor: string): void {
    if (cursor === this.cursor) return;
    this.#append({ cursor });
    this.sync();
  }

  receive(event: WorkspaceEvent): void {
    this.#append({ event });
  }

  /** Adds a dead letter that is to be sent again. It does not change the place in the feed. */
  sendAgain(event: WorkspaceEvent): void {
    this.#append({ event, again: true });
  }

  fail(id: string, since: number): void {
    if (this.pending.get(id)?.failingSince === undefined) this.#append({ failing: id, since });
  }

  done(id: string): void {
    this.#append({ done: id });
  }

  /** Writes the lines to the disk, so that a power cut cannot remove them. */
  sync(): void {
    if (this.#isDirty) fdatasyncSync(this.#file);
    this.#isDirty = false;
  }

  close(): void {
    this.sync();
    closeSync(this.#file);
  }

  /** @returns the number of bytes up to the end of the last complete line */
  #load(bytes: Buffer): number {
    let start = 0;
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
      const line = parse(bytes.toString('utf8', start, end));
      if (!line) {
        // After a power cut, the end of the file may contain anything.
        if (bytes.subarray(end + 1).includes(10) && parse(lastLine(bytes)))
          throw new RelayError(`${this.#path} is damaged at byte ${start}`);
        return start;
      }
      this.#apply(line);
      start = end + 1;
    }
    return start;
  }

  #apply(line: Line): void {
    if ('cursor' in line) this.cursor = line.cursor;
    else if ('done' in line) this.pending.delete(line.done);
    else if ('failing' in line) {
      const pending = this.pending.get(line.failing);
      if (pending) pending.failingSince = line.since;
    } else {
      const { event, since, again } = line;
      if (!this.pending.has(event.id)) this.pending.set(event.id, { event, failingSince: since });
      if (!again) this.cursor = event.cursor;
    }
  }

  #append(line: Line): void {
    this.#bytes += writeAll(this.#file, `${JSON.stringify(line)}\n`);
    this.#isDirty = true;
    this.#apply(line);
    if (this.#bytes > compactBytes && this.#bytes > 2 * this.#bytesOfState) this.#compact();
  }

  /** Replaces the file by one with the current state. A crash leaves one or the other. */
  #compact(): void {
    const lines: Line[] = [...this.pending.values()].map(({ event, failingSince }) => ({
      event,
      again: true,
      ...(failingSince !== undefined && { since: failingSince }),
    }));
    if (this.cursor !== undefined) lines.push({ cursor: this.cursor });
    const path = `${this.#path}.new`;
    const file = openSync(path, 'w', 0o600);
    this.#bytes = writeAll(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    this.#bytesOfState = this.#bytes;
    fsyncSync(file);
    renameSync(path, this.#path);
    syncDirectory(dirname(this.#path));
    closeSync(this.#file);
    this.#file = file;
    this.#isDirty = false;
  }
}

function parse(text: string): Line | undefined {
  try {
    const line: unknown = JSON.parse(text);
    return typeof line === 'object' && line !== null ? (line as Line) : undefined;
  } catch {
    return undefined;
  }
}

function lastLine(bytes: Buffer): string {
  const text = bytes.toString('utf8').trimEnd();
  return text.slice(text.lastIndexOf('\n') + 1);
}

function writeAll(file: number, text: string): number {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
  return bytes.length;
}

function syncDirectory(path: string): void {
  // Windows cannot open a directory.
  if (process.platform === 'win32') return;
  const directory = openSync(path, 'r');
  fsyncSync(directory);
  closeSync(directory);
}

/** An event that is not sent again. */
export interface DeadLetter {
  event: WorkspaceEvent;
  /** The last failure. */
  error: string;
  given_up_at: string;
}

const deadPath = (stateDir: string, name: string) => join(stateDir, `${name}.dead.jsonl`);

/** Adds an event to the dead letters, before it is marked as done in the journal. After a crash, it may be there twice. */
export function addDeadLetter(stateDir: string, name: string, letter: DeadLetter): void {
  const file = openSync(deadPath(stateDir, name), 'a', 0o600);
  try {
    writeAll(file, `${JSON.stringify(letter)}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/**
 * Moves all dead letters back to the journal.
 * @returns the number of events
 * @throws RelayError if the file is damaged
 */
export function reviveDeadLetters(stateDir: string, name: string, journal: Journal): number {
  const path = deadPath(stateDir, name);
  if (!existsSync(path)) return 0;
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean);
  const letters = new Map<string, WorkspaceEvent>();
  for (const [n, line] of lines.entries()) {
    // The parser has the type of a line of the journal. This file has letters.
    const letter = parse(line) as unknown as DeadLetter | undefined;
    if (letter?.event) letters.set(letter.event.id, letter.event);
    else if (n < lines.length - 1) throw new RelayError(`${path} is damaged in line ${n + 1}`);
  }
  for (const event of letters.values()) journal.sendAgain(event);
  journal.sync();
  unlinkSync(path);
  return letters.size;
}
