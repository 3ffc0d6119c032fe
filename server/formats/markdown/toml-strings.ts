/** A string in a TOML file. */
export interface TomlString {
  /** The names of the tables and keys around it. An item of an array has the number of the item as a name. */
  path: string[];
  /** The range with its quotes. */
  start: number;
  end: number;
  /** The quotes before the string. */
  quote: string;
  text: string;
}

const space = /(?:[ \t\r\n]|#[^\n]*)*/y;
const key = /[ \t]*("(?:[^"\\\r\n]|\\.)*"|'[^'\r\n]*'|[\w-]+)[ \t]*/y;
const string =
  /"""(?:[^"\\]|\\[\s\S]|"{1,2}(?!"))*"{3,5}|'''(?:[^']|'{1,2}(?!'))*'{3,5}|"(?:[^"\\\r\n]|\\.)*"|'[^'\r\n]*'/y;
const other = /[^,\]}\r\n#]*/y;
const maxDepth = 50;

/** Returns the strings of a TOML file, in their order; none if the file is not TOML. */
export function stringsOfToml(toml: string): TomlString[] {
  try {
    return new TomlReader(toml).read();
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

class TomlReader {
  readonly #found: TomlString[] = [];
  readonly #items = new Map<string, number>();
  readonly #toml: string;
  #at = 0;

  constructor(toml: string) {
    this.#toml = toml;
  }

  read(): TomlString[] {
    let table: string[] = [];
    for (;;) {
      this.#take(space);
      if (this.#at === this.#toml.length) return this.#found;
      if (this.#toml[this.#at] === '[') table = this.#readTable();
      else this.#readPair(table, 0);
    }
  }

  #readTable(): string[] {
    const signs = this.#toml.startsWith('[[', this.#at) ? 2 : 1;
    this.#at += signs;
    const path = this.#readKeys();
    this.#expect(']'.repeat(signs));
    if (signs === 1) return path;
    const name = path.join('\0');
    const item = this.#items.get(name) ?? 0;
    this.#items.set(name, item + 1);
    return [...path, String(item)];
  }

  #readKeys(): string[] {
    const path: string[] = [];
    do {
      const written = this.#take(key).trim();
      if (written === '') throw new SyntaxError('a key is missing');
      path.push(/^["']/.test(written) ? unquoted(written) : written);
    } while (this.#toml[this.#at] === '.' && ++this.#at);
    return path;
  }

  #readPair(table: readonly string[], depth: number): void {
    const path = [...table, ...this.#readKeys()];
    this.#expect('=');
    this.#readValue(path, depth);
  }

  #readValue(path: string[], depth: number): void {
    if (depth > maxDepth) throw new SyntaxError('the values are nested too deeply');
    this.#take(space);
    const start = this.#at;
    const sign = this.#toml[start];
    const isList = sign === '[';
    if (isList || sign === '{') {
      this.#at++;
      const closing = isList ? ']' : '}';
      for (let item = 0; ; item++) {
        this.#take(space);
        if (this.#toml[this.#at] === closing) break;
        if (isList) this.#readValue([...path, String(item)], depth + 1);
        else this.#readPair(path, depth + 1);
        this.#take(space);
        if (this.#toml[this.#at] !== ',') break;
        this.#at++;
      }
      this.#expect(closing);
      return;
    }
    const written = this.#take(string);
    if (written === '') {
      if (this.#take(other).trim() === '') throw new SyntaxError('a value is missing');
      return;
    }
    const quote = /^(?:"""|'''|["'])/.exec(written)![0];
    this.#found.push({ path, start, end: this.#at, quote, text: unquoted(written) });
  }

  #expect(signs: string): void {
    if (!this.#toml.startsWith(signs, this.#at)) throw new SyntaxError(`${signs} is missing`);
    this.#at += signs.length;
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const [found = ''] = pattern.exec(this.#toml) ?? [];
    this.#at += found.length;
    return found;
  }
}

/** @throws {SyntaxError} for an escape that TOML does not have */
function unquoted(written: string): string {
  const size = /^(?:"""|''')/.test(written) ? 3 : 1;
  const inner = written.slice(size, -size).replace(size === 3 ? /^\r?\n/ : /$^/, '');
  if (written.startsWith("'")) return inner;
  return inner.replace(/\\(?:([ \t]*\r?\n\s*)|u([\da-f]{4})|U([\da-f]{8})|x([\da-f]{2})|(.))/gi, escaped);
}

function escaped(
  _: string,
  lineEnd?: string,
  four?: string,
  eight?: string,
  two?: string,
  sign = '',
): string {
  const code = four ?? eight ?? two;
  if (lineEnd !== undefined) return '';
  if (code !== undefined && Number.parseInt(code, 16) <= 0x10ffff)
    return String.fromCodePoint(Number.parseInt(code, 16));
  const plain = { b: '\b', t: '\t', n: '\n', f: '\f', r: '\r', e: '\u001b', '"': '"', '\\': '\\' }[sign];
  if (plain === undefined) throw new SyntaxError('unknown escape');
  return plain;
}
