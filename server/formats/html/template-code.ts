import { BlockReader, endOfGroup, type TemplateCode } from './template-blocks.ts';

/*
 * Code of template languages in HTML and Markdown files: PHP (`<?php … ?>`), `<% … %>`, `{% … %}`, `{# … #}`, `{{ … }}`
 * with any number of braces, `${ … }`, `[[ … ]]`, tags of FreeMarker, and the blocks of Angular, Blade, Svelte and Smarty.
 * For the HTML parser, a part of it would be text, and another part tags.
 */

export type { TemplateCode };

/** The tokens that may begin code. Code between delimiters is also code in Markdown. */
const delimited = [
  String.raw`(?<braces>(?:\\+|@)?\{\{+)`,
  String.raw`(?<delimiter><%|\{%|\{!!|<\?(?:php\b|=)|<#--|\{\/?\*|\{#(?!(?:if|each|await|key|snippet)\b))`,
];
const [openBrace, closeBrace] = ['&(?:#123|#x7b|lcub|lbrace);', '&(?:#125|#x7d|rcub|rbrace);'];
const others = [
  // Readers do not see the content of these elements.
  String.raw`(?<raw><(?:script|style)(?=[\s>]))`,
  String.raw`(?<markup><!--|<\/?[a-z])`,
  String.raw`(?<directive><\/?[#@](?=[a-z]))`,
  `(?<shown>\\{?${openBrace}(?:\\{|${openBrace})*)`,
  String.raw`(?<expression>(?:\$!?|[#@])\{)`,
  String.raw`(?<brackets>\[\[(?!\[)|\[\((?=[$#*]\{))`,
  String.raw`(?<sign>\{[$:/@#](?=[a-z]))`,
  String.raw`(?<statement>\{(?:if|elseif|else|foreach|foreachelse|for|block|include|extends|assign|literal|section)\b)`,
  String.raw`(?<block>@[a-z]+|[{}])`,
];
const inMarkdown = new RegExp(delimited.join('|'), 'gi');
const inHtml = new RegExp([...delimited, ...others].join('|'), 'gi');

const closings: Readonly<Record<string, string>> = {
  ...{ '<%': '%>', '<?': '?>', '{%': '%}', '{#': '#}', '{!': '!!}', '<#': '-->', '{*': '*}', '{/': '*/}' },
};

/** Returns the ranges of template code, in their order and without overlap. Code without an end stays text. */
export function findTemplateCode(source: string): TemplateCode[] {
  return new CodeReader(source).read(inHtml);
}

/** Returns the template code of a Markdown file, whose own syntax has some of the signs: code between delimiters. */
export function findDelimitedCode(source: string): TemplateCode[] {
  return new CodeReader(source).read(inMarkdown);
}

/** The names of blocks that show code or data. Another name has `code` as a part, as `code-toggle` has. */
const codeName =
  /^(?:(?:.*[-_./])?code(?:blocks?)?(?:[-_./].*)?|highlight|hl|prism(?:js)?|listing|sourcecode|gist|mermaid|plantuml|uml|graphviz|dot|markmap|math(?:jax)?|katex|latex|tex|e?charts?|chartjs|vega|bash|shell|terminal|console|json|ya?ml|toml|css|javascript|js|script|schema)$/i;
/** Fences, spans of code, and the tags of Hugo and Liquid. */
const blockTokens =
  /^(?:[ \t>]|[-+*][ \t]|\d{1,9}[.)][ \t])*(`{3,}|~{3,})([^\r\n`]*)$|`[^\r\n`]+`|(\{\{[<%]|\{%)-?[ \t]{0,9}(\/|end)?[ \t]{0,9}(\w[\w./-]*)(?![\w./-])[^{}\r\n`]*?(\/?)-?[>%]\}\}?/gm;
const lineStart = /(?:^|[\r\n])[ \t>]*(?:(?:[-+*]|\d+[.)])[ \t]+)?$/;

/** Returns the contents of blocks that show code, by the start of their first tags. In a sentence, such a block is a value. */
function findCodeBlocks(source: string): Map<number, TemplateCode> {
  const found = new Map<number, TemplateCode>();
  let fence = '';
  let open = { start: 0, from: 0, name: '' };
  for (const match of source.matchAll(blockTokens)) {
    const { index, 0: token, 1: signs = '', 2: info = '', 3: sign, 4: isEnd, 5: name = '', 6: slash } = match;
    if (fence === '') fence = signs;
    else if (signs.startsWith(fence) && info.trim() === '') fence = '';
    if (!sign || fence !== '' || !codeName.test(name)) continue;
    const end = index + token.length;
    const { start, from } = open;
    if (isEnd && sign + name === open.name && index > from) {
      const isFirst = lineStart.test(source.slice(Math.max(0, start - 200), start));
      const isInLine = !isFirst || /^[ \t]*\S/.test(source.slice(end, end + 200));
      const isValue = isInLine && !/[\r\n]/.test(source.slice(from, index));
      const range = isValue ? { start, end } : { start: from, end: index };
      found.set(start, { ...range, isValue, isBody: true });
    }
    open = { start: index, from: end, name: isEnd || slash ? '' : sign + name };
  }
  return found;
}

/** Returns the source with spaces instead of template code, so that the positions stay the same. */
export function withoutTemplateCode(source: string, codes: readonly TemplateCode[]): string {
  let text = '';
  let copied = 0;
  for (const { start, end, isShown } of codes) {
    if (isShown) continue;
    text += source.slice(copied, start) + ' '.repeat(end - start);
    copied = end;
  }
  return text + source.slice(copied);
}

/** A tag. Code has none, but may compare values, as in `{% if total > 1 %}`. */
const tag = /<[a-z/!?]/i;
/** In a file with more signs that begin no code, further ones are text: looking for their ends takes time. */
const maxFailures = 5_000;
/** A directive of FreeMarker, whose parameters may have `>` in brackets and quotes. */
const freeMarker = /<\/?[#@][a-z][\w.]*(?:\([^()<]*\)|"[^"<]*"|'[^'<]*'|[^<>()"'])*>/iy;
/** The content of `[[ … ]]` that is an expression. `[[See also]]` is a text. */
const bracketed =
  /\[\[\s*(?:[$#*@~]\{[^{}\n]{0,200}\}|[$A-Za-z_][$\w.]{0,100}(?:\([^()\n]{0,200}\))?(?:\s*\|[^[\]\n]{0,200})?)\s*\]\](?!\])|\[\([$#*]\{[^{}\n]{0,200}\}\)\]/iy;
/** The rest of braces that readers see. */
const shownEnd = new RegExp(
  `(?:[^{}<&\\n]|&(?!${closeBrace.slice(1)})){1,200}(?:\\}|${closeBrace}){2,}`,
  'iy',
);
/** The beginning of code in braces that inserts no value: sections, partials and comments, and conditions of Go. */
const noValue =
  /^(?:\\+|@)?\{+[-~]?\s*(?:[#/^!>*]|--|else\b|(?:if|range|with|while)\s+[^\s}]|(?:define|template|block|partial)\s+["'])/;
/** A message of ICU in another one, as in `other {{n, plural, …}}`. */
const icuChoice = /^\{\{[^{}]{0,200},\s*(?:plural|select|selectordinal)\s*,/;
const hasGoBlocks = /\{\{-?\s*(?:if|range|with|define|block)\s/;

class CodeReader {
  readonly #source: string;
  readonly #found: TemplateCode[] = [];
  readonly #missing = new Set<string>();
  #failures = 0;
  readonly #blocks: BlockReader;
  readonly #codeBlocks: ReadonlyMap<number, TemplateCode>;
  readonly #hasSmarty: boolean;
  readonly #hasSvelte: boolean;
  readonly #hasGo: boolean;

  constructor(source: string) {
    this.#source = source;
    this.#blocks = new BlockReader(source);
    this.#codeBlocks = findCodeBlocks(source);
    this.#hasSmarty = /\{\/(?:if|foreach|block|section|literal)\}/.test(source);
    this.#hasSvelte = /(?<!\{)\{[#:](?:if|each|await|key|snippet)\s/.test(source);
    this.#hasGo = hasGoBlocks.test(source);
  }

  read(tokens: RegExp): TemplateCode[] {
    const pattern = new RegExp(tokens);
    const names = Array.from(tokens.source.matchAll(/\(\?<(\w+)>/g), ([, one]) => one!);
    for (let match = pattern.exec(this.#source); match; match = pattern.exec(this.#source)) {
      const name = names.find((one) => match!.groups![one] !== undefined)!;
      const next = this.#failures > maxFailures ? undefined : this.#readToken(name, match[0], match.index);
      if (next !== undefined) pattern.lastIndex = next;
      else if (name !== 'block' && name !== 'markup') this.#failures++;
    }
    const blocks = this.#blocks.codes;
    return blocks.length === 0
      ? this.#found
      : [...this.#found, ...blocks].sort((one, other) => one.start - other.start);
  }

  /** Returns the offset at which the next token is looked for; undefined for the end of this one. */
  #readToken(name: string, token: string, start: number): number | undefined {
    const source = this.#source;
    switch (name) {
      case 'braces':
      case 'delimiter': {
        const block = this.#codeBlocks.get(start);
        let end: number | undefined;
        if (!block?.isValue)
          end = name === 'braces' ? this.#readBraces(token, start) : this.#readDelimited(token, start);
        if (block) this.#found.push(block);
        return block?.end ?? end;
      }
      case 'raw': {
        const end = source.slice(start).search(new RegExp(`</${token.slice(1)}`, 'i'));
        return end < 0 ? source.length : start + end + token.length;
      }
      case 'markup':
        this.#blocks.skipMarkup(token, start);
        return undefined;
      case 'directive':
        return this.#add(start, endOf(freeMarker, source, start), false);
      case 'brackets':
        return this.#add(start, endOf(bracketed, source, start), true);
      case 'shown': {
        const isDouble = token.replaceAll(/&\w+;|&#\w+;/g, '{').length > 1;
        const end = isDouble ? endOf(shownEnd, source, start + token.length) : -1;
        if (end >= 0) this.#found.push({ start, end, isValue: true, isShown: true });
        return end < 0 ? undefined : end;
      }
      case 'expression': {
        const end = endOfGroup(source, start + token.length - 1);
        const isStatement = token === '@{' && /[;\n]/.test(source.slice(start, end));
        return end > start + token.length + 1 ? this.#addWithoutTags(start, end, !isStatement) : undefined;
      }
      case 'sign': {
        const sign = token[1]!;
        if (sign !== '$' && sign !== '/' && !this.#hasSvelte) break;
        if (sign === '/' && !this.#hasSvelte && !this.#hasSmarty) break;
        return this.#addWithoutTags(start, endOfGroup(source, start), sign === '$' || sign === '@');
      }
      case 'statement':
        if (!this.#hasSmarty) break;
        return this.#addWithoutTags(start, endOfGroup(source, start), false);
    }
    if (this.#hasSvelte && token.startsWith('{'))
      return this.#addWithoutTags(start, endOfGroup(source, start), true);
    return this.#blocks.read(token[0] === '{' ? '{' : token, start);
  }

  #readDelimited(token: string, start: number): number | undefined {
    const closing = closings[token.slice(0, 2)]!;
    const at = this.#missing.has(closing) ? -1 : this.#source.indexOf(closing, start + token.length);
    if (at < 0) {
      this.#missing.add(closing);
      return undefined;
    }
    const end = at + closing.length;
    const code = this.#source.slice(start, Math.min(end, start + 5_000));
    if (token !== '{%') return this.#add(start, end, /^(?:<\?=|<%=|\{!!)/.test(code));
    if (/[{}]/.test(code.slice(2, -2)) || tag.test(code)) return undefined;
    // The words of a comment are never shown.
    const isComment = !this.#missing.has('comment') && /^\{%-?\s*comment\s*-?%\}$/.test(code);
    const comment = /\{%-?\s*endcomment\s*-?%\}/g;
    comment.lastIndex = end;
    const last = isComment ? comment.exec(this.#source) : null;
    if (isComment && !last) this.#missing.add('comment');
    return this.#add(start, last ? last.index + last[0].length : end, false);
  }

  /** Reads code in braces. It has as many braces at both ends; further ones are those of an ICU message. */
  #readBraces(token: string, start: number): number | undefined {
    const source = this.#source;
    const first = start + token.indexOf('{');
    const after = start + token.length;
    const comment = /!--|-?\s*\/\*|--/y;
    comment.lastIndex = after;
    const opened = comment.exec(source)?.[0];
    const isOption = after - first > 2 && this.#blocks.isOptionOfIcu(first);
    const count = isOption ? 2 : after - first;
    const found = opened ? this.#endOfComment(after, opened) : endOfBraces(source, after, count);
    if (!found) return undefined;
    const from = found.braces === after - first ? start : after - found.braces;
    const code = source.slice(from, found.end);
    if (icuChoice.test(code)) return undefined;
    const isEnd = this.#hasGo && /^\{\{-?\s*end\s*-?\}\}$/.test(code);
    return this.#add(from, found.end, !isEnd && !noValue.test(code) && found.braces < 4);
  }

  #endOfComment(from: number, opening: string): Ended | undefined {
    const closing = opening.endsWith('*') ? '*/' : '--}}';
    const at = this.#missing.has(closing) ? -1 : this.#source.indexOf(closing, from + opening.length);
    const end = at < 0 ? -1 : this.#source.indexOf('}}', at);
    if (end < 0) this.#missing.add(closing);
    return end < 0 ? undefined : { end: end + 2, braces: 2 };
  }

  #addWithoutTags(start: number, end: number, isValue: boolean): number | undefined {
    return end < 0 || tag.test(this.#source.slice(start, end)) ? undefined : this.#add(start, end, isValue);
  }

  #add(start: number, end: number, isValue: boolean): number | undefined {
    if (end < 0) return undefined;
    this.#found.push({ start, end, isValue });
    return end;
  }
}

function endOf(pattern: RegExp, source: string, start: number): number {
  pattern.lastIndex = start;
  return pattern.test(source) ? pattern.lastIndex : -1;
}

interface Ended {
  end: number;
  /** The number of braces at each end. */
  braces: number;
}

/** The maximum length of code in braces, and of the braces inside of it. */
const most = { length: 2_000, depth: 8 };

/** Returns the end of code in braces, such as `{{ {a: '}'} }}`; undefined without one, or if it has a tag. */
function endOfBraces(source: string, from: number, count: number): Ended | undefined {
  let depth = 0;
  const last = Math.min(source.length, from + most.length);
  for (let at = from; at < last; at++) {
    const sign = source[at]!;
    if (sign === '"' || sign === "'") at = endOfString(source, at);
    else if (sign === '{' && ++depth > most.depth) return undefined;
    else if (sign === '<' && tag.test(source.slice(at, at + 2))) return undefined;
    else if (sign === '}') {
      let end = at;
      while (source[end] === '}') end++;
      const closed = end - at - depth;
      if (closed === 1) return undefined;
      if (closed > 1) {
        const braces = Math.min(count, closed);
        return { end: at + depth + braces, braces };
      }
      depth -= end - at;
      at = end - 1;
    }
  }
  return undefined;
}

/** Returns the offset of the end of a string in code, or that of its start without an end, as in `{{ it's }}`. */
function endOfString(source: string, at: number): number {
  const line = source.slice(at, at + 300).split(/[\r\n]/, 1)[0]!;
  const end = /\w/.test(source[at - 1]!) ? -1 : line.indexOf(line[0]!, 1);
  return end < 0 ? at : at + end;
}
