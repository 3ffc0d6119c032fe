const pairs: Readonly<Record<string, string>> = { '(': ')', '{': '}' };

/** The maximum length of a group. */
const maxLength = 2_000;

/**
 * Returns the offset after a group in brackets: after the bracket that closes the one at `start`. Brackets in strings do not
 * count.
 *
 * @returns -1 without such a bracket
 */
export function endOfGroup(source: string, start: number): number {
  const open = source[start]!;
  const close = pairs[open];
  let depth = 0;
  const end = Math.min(source.length, start + maxLength);
  for (let at = start; at < end; at++) {
    const sign = source[at]!;
    if (sign === open) depth++;
    else if (sign === close && --depth === 0) return at + 1;
    else if (sign === '"' || sign === "'" || sign === '`') {
      const last = source.indexOf(sign, at + 1);
      // Not a quote, but an apostrophe.
      if (last < 0 || last >= end || /[\r\n]/.test(source.slice(at, last))) continue;
      at = last;
    }
  }
  return -1;
}

/*
 * Blocks of templates that begin with `@`: those of Angular and Razor, as in `@if (count > 0) { … } @else { … }`, whose
 * braces are code, too, and the directives of Blade, as in `@if (count > 0) … @endif`.
 */

/** A range of the source with template code. */
export interface TemplateCode {
  start: number;
  end: number;
  /** Whether the code inserts a value, such as `{{ name }}`. Other code, such as a condition, may not be moved. */
  isValue: boolean;
  /** Set for `&#123;&#123; name }}`, which readers see. Angular runs it like `{{ name }}`. */
  isShown?: true;
  /** Set for the content of a block that shows code, such as `{% highlight %}`. */
  isBody?: true;
}

const names = (list: string): ReadonlySet<string> => new Set(list.split(' '));

const withBraces = names(
  'if else for switch case default empty defer placeholder loading error foreach while using lock try catch section code functions',
);
const ofBlade = names(
  'if elseif else unless isset empty auth guest production env switch case break default for foreach forelse while continue include includeif includewhen includeunless includefirst each extends section show stop yield parent append push pushonce prepend stack component slot props aware once php csrf method error lang choice json js class style checked selected disabled readonly required session vite livewire livewirestyles livewirescripts can cannot canany inject use dd dump verbatim hassection sectionmissing fragment overwrite',
);
const bladeValues = names('lang choice json js yield');
const blade =
  /@(?:end(?:if|foreach|for|forelse|while|section|unless|isset|empty|auth|guest|can|push|component|slot|switch|php|error|once|verbatim|env|production)\b|(?:extends|yield|include|section|vite|method|livewire)\s*\(\s*['"]|(?:props|aware|class)\s*\(\s*\[|csrf\b)/;
const angular = /@(?:if|for|switch|defer|let|foreach|while|using|section)\b/;

/** A variable: its expression ends at the first semicolon outside of strings. */
const declaration =
  /@let\s+[\w$]{1,80}\s*=(?:"[^"\r\n]{0,500}"|'[^'\r\n]{0,500}'|`[^`]{0,500}`|[^;"'`<]|<(?![a-z/!])){0,1000};/iy;
const markup = /<(?:!--[\s\S]{0,50000}?--|\/?[a-z](?:"[^"]{0,5000}"|'[^']{0,5000}'|[^>"']){0,2000})>/iy;

/** Files with more tags or brackets that have no end are not read for blocks: finding that takes time. */
const maxFailures = 1_000;

/** Finds the blocks of a file whose tokens are read in their order. */
export class BlockReader {
  readonly #source: string;
  readonly #isBlade: boolean;
  readonly #mayHaveBraces: boolean;
  readonly #hasIcu: boolean;
  /** The blocks that are open, with their beginnings, and other braces. */
  readonly #open: (TemplateCode | undefined)[] = [];
  readonly #codes: TemplateCode[] = [];
  #openBlocks = 0;
  #failures = 0;
  /** Whether a block of PHP may end after the last one. */
  #hasPhp = true;
  /** The offset after the last tag or comment. */
  #textStart = 0;

  constructor(source: string) {
    this.#source = source;
    this.#isBlade = blade.test(source);
    this.#mayHaveBraces = !this.#isBlade && angular.test(source);
    this.#hasIcu = /,\s*(?:plural|select|selectordinal)\s*,/.test(source);
  }

  /** The code of the blocks that are closed. Unlike other braces, those of an open block are text. */
  get codes(): readonly TemplateCode[] {
    return this.#codes;
  }

  /** Reads past a tag or a comment, whose signs begin no blocks. */
  skipMarkup(token: string, start: number): void {
    if (!this.#mayHaveBraces || start < this.#textStart || this.#failures > maxFailures) return;
    markup.lastIndex = start;
    if (markup.test(this.#source)) this.#textStart = markup.lastIndex;
    else {
      this.#failures++;
      this.#textStart = start + token.length;
    }
  }

  /**
   * Reads a brace, or a word with `@`.
   *
   * @returns the offset after the code; undefined without code
   */
  read(token: string, start: number): number | undefined {
    if (this.#failures > maxFailures) return undefined;
    const isInText = start >= this.#textStart;
    if (this.#isBlade) return token.startsWith('@') ? this.#readBlade(token, start) : undefined;
    if (!this.#mayHaveBraces || !isInText) return undefined;
    if (token === '{') {
      if (this.#openBlocks > 0) this.#open.push(undefined);
      return undefined;
    }
    if (token === '}') {
      const block = this.#open.pop();
      if (!block) return undefined;
      this.#openBlocks--;
      this.#codes.push(block, { start, end: start + 1, isValue: false });
      return start + 1;
    }
    return this.#readOpening(token.toLowerCase().slice(1), start);
  }

  #readOpening(name: string, start: number): number | undefined {
    const source = this.#source;
    if (/[\w.]/.test(source[start - 1] ?? ' ')) return undefined;
    let at = start + 1 + name.length;
    if (name === 'let') {
      declaration.lastIndex = start;
      if (!declaration.test(source)) {
        this.#failures++;
        return undefined;
      }
      this.#codes.push({ start, end: declaration.lastIndex, isValue: false });
      return declaration.lastIndex;
    }
    if (!withBraces.has(name)) return undefined;
    if (name === 'default' && source.startsWith(' never;', at)) at += ' never;'.length;
    if (name === 'else') at += /^\s+if\b/.exec(source.slice(at, at + 50))?.[0].length ?? 0;
    const end = this.#endOfParameters(at);
    if (end < 0) return undefined;
    const [, rest = '', braces = ''] = /^(\s*)(\{*)/.exec(source.slice(end, end + 200))!;
    // `{{` begins a value. Before `{{{`, the first brace is that of the block.
    if (braces.length % 2 === 1) {
      const code = { start, end: end + rest.length + 1, isValue: false };
      this.#open.push(code);
      this.#openBlocks++;
      return code.end;
    }
    // Several cases can have one block.
    const isCase = name === 'case' && /^\s*@(?:case|default)\b/.test(source.slice(end, end + 200));
    if (!isCase && source[at - 1] !== ';') return undefined;
    this.#codes.push({ start, end, isValue: false });
    return end;
  }

  #readBlade(token: string, start: number): number | undefined {
    const name = token.slice(1).toLowerCase();
    if (/[\w@]/.test(this.#source[start - 1] ?? ' ')) return undefined;
    if (!ofBlade.has(name) && !(name.startsWith('end') && ofBlade.has(name.slice(3)))) return undefined;
    let end = this.#endOfParameters(start + token.length);
    if (name === 'php' && end === start + token.length) {
      const last = this.#hasPhp ? this.#source.indexOf('@endphp', end) : -1;
      this.#hasPhp = last >= 0;
      end = last < 0 ? -1 : last + '@endphp'.length;
    }
    if (end < 0) return undefined;
    this.#codes.push({ start, end, isValue: bladeValues.has(name) });
    return end;
  }

  /** Returns the offset after parameters in brackets, if there are some. */
  #endOfParameters(at: number): number {
    const space = /^[ \t\r\n]*(?=\()/.exec(this.#source.slice(at, at + 200))?.[0];
    const end = space === undefined ? at : endOfGroup(this.#source, at + space.length);
    if (end < 0) this.#failures++;
    return end;
  }

  /** Whether the brace at an offset begins a text of an ICU message, as in `other {{{ count }} files}`. */
  isOptionOfIcu(start: number): boolean {
    if (!this.#hasIcu) return false;
    const before = this.#source.slice(Math.max(0, start - 2_000), start);
    const choice = [...before.matchAll(/\{[^{}]{0,200},\s*(?:plural|select|selectordinal)\s*,/g)].at(-1);
    if (!choice || !/(?:=\d+|[\w-]+)\s*$/.test(before)) return false;
    const rest = before.slice(choice.index);
    return rest.split('{').length > rest.split('}').length;
  }
}
