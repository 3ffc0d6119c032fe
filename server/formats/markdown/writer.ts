import type { Nodes, Parents } from 'mdast';
import { gfmToMarkdown } from 'mdast-util-gfm';
import { mdxToMarkdown } from 'mdast-util-mdx';
import { defaultHandlers, type Handle, type Options, toMarkdown } from 'mdast-util-to-markdown';
import { type Signs, signsOf } from '../html/character-references.ts';
import type { InlineContent } from '../inline-content.ts';
import { type Item, keyOfTag, type Run } from '../markup/inline-runs.ts';
import { formula } from './foreign-syntax.ts';
import type { MarkdownItem } from './items.ts';
import { expressionsOf, splitExpressions } from './text-expressions.ts';
import type { LabelText, TextBlock } from './text-reader.ts';

/*
 * Writes translations as Markdown. A library decides which characters need a backslash, and which signs emphasis has next
 * to letters and punctuation. Links, code and other markup are written as they are in the file.
 */

/** A node of a translation. The types that Markdown does not have are written by the handlers below. */
interface Node {
  type: 'block' | 'text' | 'emphasis' | 'strong' | 'delete' | 'pair' | 'verbatim';
  value?: string;
  children?: Node[];
  /** The signs of emphasis in the file. */
  marker?: string;
  /** The source of the tags of a pair. */
  open?: string;
  close?: string;
  isLabel?: boolean;
  isBreak?: boolean;
  /** The signs that the source has as character references. */
  signs?: Signs | undefined;
  /** Whether a dollar sign of a text would begin or end a formula. */
  hasFormulas?: boolean;
  syntax?: TextBlock['syntax'];
  /** The characters before and after the text in the file. */
  before?: string;
  after?: string;
}

type Handler = Handle & { peek?: Handle; attention?: (node: Node) => unknown };

/** The start of a block of a site generator. */
const blockStart = /^(?=:{3}|:[ \t]|!{3}[ \t\w-]|\?{3}[+ \t\w-]|={3}[!+]*[ \t]+"|\/{3}|;*-{1,3}8<)/;

/** A text without a sign that can be markup inside of a line. Checking this is far faster than looking for each sign. */
const plain = /^[\p{L}\p{N} ](?:[\p{L}\p{M}\p{N} ,;:?'"()%=+’“”„«»…—–-]|(?<![wW])\.)*$/u;

/** Whether a text is written as it is. The first sign of a line can begin a block, and white space there has no meaning. */
function isPlain(text: string, { before, after }: Parameters<Handle>[3]): boolean {
  const isSafe =
    (!before.endsWith('\n') || /^\p{L}/u.test(text)) && !(text.endsWith(' ') && /^[\r\n]/.test(after));
  return isSafe && plain.test(text);
}

const handler = (
  handle: (
    node: Node,
    state: Parameters<Handle>[2],
    info: Parameters<Handle>[3],
    parent: Parents | undefined,
  ) => string,
  peek?: (node: Node) => string,
): Handler =>
  Object.assign<Handle, Partial<Handler>>(
    (node, parent, state, info) => handle(node, state, info, parent),
    peek ? { peek: (node) => peek(node) } : {},
  );

/** Emphasis with the signs of the file, or with others where these have no effect. */
function attention(type: 'emphasis' | 'strong' | 'delete', sizes: number[]): Handler {
  const markers: Record<string, string[]> = { '*': ['*', '_'], _: ['_', '*'], '~': ['~'] };
  return Object.assign<Handle, Partial<Handler>>(
    // Not called: the library writes such nodes by `attention`.
    () => '',
    {
      peek: (node) => (node as Node).marker![0]!,
      attention: ({ marker }) => ({
        construct: type === 'delete' ? 'strikethrough' : type,
        markers: markers[marker![0]!],
        sizes: sizes.length > 1 ? [marker!.length, 3 - marker!.length] : sizes,
      }),
    },
  );
}

const handlers: Record<string, Handler> = {
  block: handler((node, state, info) => {
    const exits = [state.enter(node.syntax as 'paragraph'), state.enter('phrasing')];
    const text = state.containerPhrasing(node as never, {
      ...info,
      before: node.before!,
      after: node.after!,
    });
    for (const exit of exits.reverse()) exit();
    return text;
  }),
  pair: handler(
    (node, state, info) => {
      const exits = node.isLabel ? [state.enter('link'), state.enter('label')] : [];
      const text = state.containerPhrasing(node as never, {
        ...info,
        before: node.open!.slice(-1),
        after: node.close![0] ?? '',
      });
      for (const exit of exits.reverse()) exit();
      return node.open! + text + node.close!;
    },
    ({ open }) => open![0]!,
  ),
  verbatim: handler(
    ({ value }) => value!,
    ({ value }) => value![0]!,
  ),
  text: handler((node, state, info, parent) => {
    if (!node.signs && isPlain(node.value!, info)) return node.value!;
    return withReferences(
      defaultHandlers
        .text(node as never, parent, state, info)
        // An underscore between letters or digits has no meaning.
        .replace(/(?<=[\p{L}\p{N}])\\_(?=[\p{L}\p{N}])/gu, '_')
        // The blocks of site generators begin like this.
        .replace(info.before.endsWith('\n') ? blockStart : /$^/, '\\')
        // A sign before the text in the file may be the start of code.
        .replace(/(\\*)`/g, (found, slashes: string) => (slashes.length % 2 === 0 ? `${slashes}\\\`` : found))
        .replace(node.hasFormulas ? /\$/g : formula, (found) => found.replaceAll('$', '\\$'))
        // Site generators run the expressions and components of MDX in all Markdown files. A backslash directly after an
        // address would be a part of it.
        .replace(/(\\*)([{<])/g, (_, slashes: string, sign: string) => {
          const escaped = slashes.length % 2 === 0 ? slashes : slashes.slice(1);
          return escaped + (sign === '<' ? '&lt;' : '\\{');
        }),
      node.signs,
    );
  }),
  emphasis: attention('emphasis', [1]),
  strong: attention('strong', [2]),
  delete: attention('delete', [1, 2]),
};

/** Writes the signs that the source has as references so, instead of a backslash and the sign. */
function withReferences(written: string, signs: Signs | undefined): string {
  if (!signs) return written;
  return written
    .split(signs.pattern)
    .map((piece, at, all) => {
      const isSign = signs.references.has(all[at + 1] ?? '');
      return signs.references.get(piece) ?? (isSign ? piece.replace(/\\$/, '') : piece);
    })
    .join('');
}

function optionsFor(isMdx: boolean): Options {
  return { extensions: [gfmToMarkdown(), ...(isMdx ? [mdxToMarkdown()] : []), { handlers }] };
}

const noExpressions: ReadonlySet<string> = new Set();

export interface MarkdownWriter {
  text(
    run: Pick<Run, 'start' | 'end' | 'tags'>,
    block: Pick<TextBlock, 'start' | 'syntax'>,
    target: InlineContent,
    markupOf: (item: Item) => string,
  ): string;
  label(label: LabelText, text: string): string;
}

export function writerFor(source: string, isMdx: boolean): MarkdownWriter {
  const options = optionsFor(isMdx);
  const newline = /\r\n?|\n/.exec(source)?.[0] ?? '\n';
  const hasReference = source.includes('&nbsp;');
  const serialize = (node: Node): string => {
    // The handlers above write the types of nodes that the library does not have.
    const text = toMarkdown(node as unknown as Nodes, options).replace(/\n$/, '');
    return hasReference ? text.replaceAll('\u00a0', '&nbsp;') : text;
  };
  return {
    text(run, block, target, markupOf) {
      const prefix = linePrefix(source, block);
      const isLineStart = block.syntax === 'paragraph' && startsLine(source, run.start, block.start);
      const before = isLineStart ? '\n' : (source[run.start - 1] ?? '\n');
      const after = source[run.end] ?? '\n';
      const children = nodesOf(target, run, {
        markupOf: (item) => unwrapped(markupOf(item), prefix),
        expressions: isMdx ? noExpressions : expressionsOf(source, run),
      });
      const write = (nodes: Node[]) =>
        serialize({
          type: 'block',
          syntax: block.syntax,
          before,
          after: after === '\r' ? '\n' : after,
          children: nodes,
        });
      const own = source.slice(run.start, run.end);
      const signs = signsOf(own);
      if (signs) setAll(children, { signs });
      let text = write(children);
      // The signs of a new formula can be in several nodes.
      if (text.match(formula)?.some((found) => !own.includes(found)))
        text = write(setAll(children, { hasFormulas: true }));
      // A module of MDX begins in the first column.
      if (prefix === '' && block.syntax === 'paragraph')
        text = text.replace(/^(?:i(?=mport\b)|e(?=xport\b))/gm, (letter) => `&#${letter.charCodeAt(0)};`);
      return text.replaceAll('\n', newline + prefix);
    },
    label({ start, end, name }, text) {
      const signs = signsOf(source.slice(start, end));
      const plain = text.replace(/[ \t\n\f\r]+/g, ' ').trim();
      if (plain === '') return '';
      if (name === 'alt')
        return serialize({
          type: 'block',
          syntax: 'paragraph',
          before: '[',
          after: ']',
          children: [
            {
              type: 'pair',
              open: '',
              close: '',
              isLabel: true,
              children: [{ type: 'text', value: plain, signs }],
            },
          ],
        }).replace(/(?<!\\)(?:\\\\)*\\$/, '$&\\');
      const quote = source[start - 1]!;
      const escaped = plain.replace(/[\\&]/g, '\\$&').replaceAll(quote === '(' ? /[()]/g : quote, '\\$&');
      return withReferences(escaped, signs);
    },
  };
}

/** Returns the prefix of continued lines of a block: the signs of quotes, and spaces instead of those of lists. */
export function linePrefix(source: string, block: Pick<TextBlock, 'start' | 'syntax'>): string {
  return source.slice(lineStartOf(source, block), block.start).replace(/[^>\t]/g, ' ');
}

/** Returns the start of the line of a block. A cell has no continued lines. */
function lineStartOf(source: string, { start, syntax }: Pick<TextBlock, 'start' | 'syntax'>): number {
  if (syntax === 'tableCell') return start;
  let at = start;
  while (at > 0 && source[at - 1] !== '\n' && source[at - 1] !== '\r') at--;
  return at;
}

function startsLine(source: string, start: number, blockStart: number): boolean {
  let at = start;
  while (at > blockStart && ' \t>'.includes(source[at - 1]!)) at--;
  return at === blockStart || '\r\n'.includes(source[at - 1]!);
}

/** Removes the prefix of continued lines, which is written again. */
function unwrapped(markup: string, prefix: string): string {
  return markup.replace(
    /(?:\r\n?|\n)([ \t>]*)/g,
    (_, own: string) =>
      `\n${own.startsWith(prefix) ? own.slice(prefix.length) : own.trimStart().replaceAll('>', '')}`,
  );
}

/** Returns the nodes of a translation. White space at the edges of emphasis is put outside, where Markdown needs it. */
function nodesOf(
  target: InlineContent,
  run: Pick<Run, 'tags'>,
  { markupOf, expressions }: { markupOf: (item: Item) => string; expressions: ReadonlySet<string> },
): Node[] {
  const root: Node[] = [];
  const stack: { children: Node[]; item: MarkdownItem | undefined }[] = [{ children: root, item: undefined }];
  const add = (node: Node): void => {
    const { children } = stack.at(-1)!;
    const last = children.at(-1);
    if (node.isBreak && node.value!.startsWith(' ')) takeSpace(children, -1);
    // A backslash directly after an address would be a part of it.
    else if (node.isBreak && last?.type === 'verbatim' && !last.isBreak)
      children.push({ type: 'text', value: ' ' });
    if (last && !node.isBreak) keepAddress(last, node);
    // White space has no meaning at the start of a line.
    const isStart = last ? last.isBreak : stack.length === 1;
    if (node.type === 'text' && isStart) node.value = node.value!.trimStart();
    if (node.type === 'text' && last?.type === 'text') last.value += node.value!;
    else if (node.value !== '') children.push(node);
  };
  for (const part of target) {
    if (typeof part === 'string') {
      for (const { text, isExpression } of splitExpressions(part.replace(/[ \t\n\f\r]+/g, ' '), expressions))
        add({ type: isExpression ? 'verbatim' : 'text', value: text });
      continue;
    }
    const item: MarkdownItem = run.tags.get(keyOfTag(part))!;
    if (part.type === 'void')
      add({
        type: 'verbatim',
        value: markupOf(item),
        isBreak: part.text === '\n',
      });
    else if (part.type === 'open') stack.push({ children: [], item });
    else {
      const { children, item: opened } = stack.pop()!;
      const open = opened as MarkdownItem;
      const { markup = 'other' } = open;
      const source = markupOf(open);
      const close = item.written ?? markupOf(item);
      if (markup === 'other') {
        add({ type: 'pair', open: source, close, children });
        continue;
      }
      const [lead, trail] = [takeSpace(children, 0), takeSpace(children, -1)];
      if (lead) add({ type: 'text', value: ' ' });
      if (markup === 'link') add({ type: 'pair', open: source, close, isLabel: true, children });
      else if (children.length > 0) add({ type: markup, marker: source, children });
      if (trail) add({ type: 'text', value: ' ' });
    }
  }
  takeSpace(root, -1);
  return root;
}

/** Sets properties of all nodes, and returns the nodes. */
function setAll(nodes: Node[], properties: Partial<Node>): Node[] {
  for (const node of nodes) {
    Object.assign(node, properties);
    setAll(node.children ?? [], properties);
  }
  return nodes;
}

const address = /^(?:https?:\/\/|www\.)/i;
/** A text or markup that does not become a part of the address before it. */
const endsAddress = /^[!"'),.:;?*_~\]]*(?:\s|$)|^</;

/**
 * Writes an address as a link, if without markup it would not be the address of the file: without a space after it, the
 * text up to the next space is a part of it (`https://example.com/を参照`), and some characters before it cancel it.
 */
function keepAddress(last: Node, node: Node): void {
  if (last.type === 'verbatim' && !endsAddress.test(node.value ?? node.open ?? 'a')) linkAddress(last);
  const cancels = /^w/i.test(node.value ?? '') ? /[^\s(*_[\]~]$/ : /[A-Za-z]$/;
  if (node.type === 'verbatim' && last.type === 'text' && cancels.test(last.value!)) linkAddress(node);
}

function linkAddress(node: Node): void {
  const { value = '' } = node;
  if (!address.test(value)) return;
  const target = value.replace(/[()\\]/g, '\\$&');
  node.value = `[${value.replace(/[*_~`[\]\\]/g, '\\$&')}](${/^w/i.test(value) ? 'http://' : ''}${target})`;
}

/** Removes the white space at an end of a list of nodes. Returns whether there was some. */
function takeSpace(children: Node[], at: 0 | -1): boolean {
  const node = children.at(at);
  if (node?.type !== 'text') return false;
  const text = at === 0 ? node.value!.trimStart() : node.value!.trimEnd();
  const isChanged = text !== node.value;
  node.value = text;
  if (text === '') children.splice(at, 1);
  return isChanged;
}
