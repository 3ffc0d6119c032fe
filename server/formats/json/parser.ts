/*
 * A JSON parser for uploaded files. Unlike `JSON.parse`, it returns the line of each value, rejects an object that has the
 * same key twice unless this is allowed, and limits the depth and the number of values.
 */

/** A JSON value with the physical line on which it starts, from 1. */
export interface JsonValue {
  line: number;
  /** The offsets of the value, in UTF-16 units: of its first character, and after its last one. */
  start: number;
  end: number;
  value: string | number | boolean | null | JsonValue[] | JsonObject;
}

/** The members of an object, in the order of the file. */
export type JsonObject = Map<string, JsonMember>;

export interface JsonMember extends JsonValue {
  keyLine: number;
  /** The offset of the opening quote of the key. */
  keyStart: number;
}

/** The error for a text that is not JSON, or that exceeds a limit. The message contains the line. */
export class JsonError extends Error {
  override name = 'JsonError';
  readonly line: number;

  constructor(line: number, message: string) {
    super(`line ${line}: ${message}`);
    this.line = line;
  }
}

const limits = { depth: 64, values: 1_000_000 } as const;

/**
 * @param duplicates whether an object may have a key several times; then the last member counts, as for `JSON.parse`
 * @throws {JsonError}
 */
export function parseJson(text: string, { duplicates = false } = {}): JsonValue {
  return new Parser(text, duplicates).parse();
}

const space = /[ \t\n\r]*/y;
const scalar = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?)(?![\w.+-])/iy;

class Parser {
  readonly #text: string;
  readonly #duplicates: boolean;
  #at = 0;
  #line = 1;
  #depth = 0;
  #values = 0;

  constructor(text: string, duplicates: boolean) {
    this.#text = text;
    this.#duplicates = duplicates;
  }

  parse(): JsonValue {
    const value = this.#value();
    this.#skipSpace();
    if (this.#at < this.#text.length) throw this.#error('there is text after the end of the JSON');
    return value;
  }

  #value(): JsonValue {
    this.#skipSpace();
    if (++this.#values > limits.values)
      throw this.#error(`the file has more than ${limits.values.toLocaleString('en-US')} values`);
    const line = this.#line;
    const start = this.#at;
    const first = this.#text[start];
    const value =
      first === '{'
        ? this.#nested(() => this.#object())
        : first === '['
          ? this.#nested(() => this.#array())
          : first === '"'
            ? this.#string()
            : this.#scalar();
    return { line, start, end: this.#at, value };
  }

  #nested<T>(read: () => T): T {
    if (++this.#depth > limits.depth)
      throw this.#error(`the values are nested more than ${limits.depth} levels deep`);
    this.#at++;
    const value = read();
    this.#depth--;
    return value;
  }

  #object(): JsonObject {
    const members: JsonObject = new Map();
    this.#list('}', () => {
      if (this.#text[this.#at] !== '"') throw this.#error('a key in double quotes is expected');
      const keyLine = this.#line;
      const keyStart = this.#at;
      const key = this.#string();
      if (members.has(key) && !this.#duplicates)
        throw this.#error(`the key ${quoted(key)} occurs twice in an object`);
      this.#skipSpace();
      if (this.#text[this.#at] !== ':') throw this.#error('":" is expected after a key');
      this.#at++;
      members.set(key, { keyLine, keyStart, ...this.#value() });
    });
    return members;
  }

  #array(): JsonValue[] {
    const items: JsonValue[] = [];
    this.#list(']', () => items.push(this.#value()));
    return items;
  }

  /** Reads items that are separated by commas, up to the closing bracket. */
  #list(end: '}' | ']', readItem: () => void): void {
    this.#skipSpace();
    if (this.#text[this.#at] === end) {
      this.#at++;
      return;
    }
    for (;;) {
      this.#skipSpace();
      readItem();
      this.#skipSpace();
      const next = this.#text[this.#at];
      if (next !== ',' && next !== end) throw this.#error(`"," or "${end}" is expected`);
      this.#at++;
      if (next === end) return;
    }
  }

  /** Reads a string. A string contains no line end, so the line stays the same. */
  #string(): string {
    const start = this.#at;
    let end = start;
    do {
      end = this.#text.indexOf('"', end + 1);
      if (end < 0) throw this.#error('a string has no closing quote');
    } while (this.#isEscaped(end));
    this.#at = end + 1;
    return this.#parsed(this.#text.slice(start, this.#at), 'a string is not valid JSON') as string;
  }

  #isEscaped(at: number): boolean {
    let backslashes = 0;
    while (this.#text[at - 1 - backslashes] === '\\') backslashes++;
    return backslashes % 2 === 1;
  }

  #scalar(): number | boolean | null {
    scalar.lastIndex = this.#at;
    const written = scalar.exec(this.#text)?.[0];
    if (written === undefined) throw this.#error('a JSON value is expected');
    this.#at += written.length;
    return this.#parsed(written, 'a JSON value is expected') as number | boolean | null;
  }

  #parsed(written: string, problem: string): unknown {
    try {
      return JSON.parse(written);
    } catch {
      throw this.#error(problem);
    }
  }

  #skipSpace(): void {
    space.lastIndex = this.#at;
    const skipped = space.exec(this.#text)?.[0] ?? '';
    this.#at += skipped.length;
    this.#line += lineEnds(skipped);
  }

  #error(message: string): JsonError {
    return new JsonError(this.#line, message);
  }
}

function lineEnds(text: string): number {
  return text === '' ? 0 : (text.match(/\r\n?|\n/g)?.length ?? 0);
}

/** A key for a message, with at most 40 characters. */
export function quoted(key: string): string {
  const characters = [...key.slice(0, 100)];
  return JSON.stringify(characters.length > 40 ? `${characters.slice(0, 40).join('')}…` : key);
}

/** Returns a function that writes strings as the file does: with or without escaped slashes and letters. */
export function writerFor(text: string): (text: string) => string {
  const escapesSlash = text.includes('\\/');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: this is the range of ASCII.
  const escapesLetters = /\\u[0-9a-f]{4}/i.test(text) && !/[^\x00-\x7f]/.test(text);
  return (string) => {
    let written = JSON.stringify(string);
    if (escapesSlash) written = written.replaceAll('/', '\\/');
    if (escapesLetters)
      written = written.replaceAll(
        /[^\x20-\x7e]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
      );
    return written;
  };
}
