import type { Nodes } from 'mdast';
import type { Finding } from '../document.ts';
import { type InlineContent, plainText } from '../inline-content.ts';
import type { Edit } from '../office/splice.ts';
import { clip } from '../text.ts';
import { lineCounter } from '../text-file.ts';
import type { Markdown } from './parse.ts';
import type { Heading, TextBlock } from './text-reader.ts';
import { linePrefix } from './writer.ts';

/*
 * Links to headings of the same page. Renderers make the address of a heading of its text, so a translated heading has another
 * address. It gets its former one in addition: `{#id}` if the file has such identifiers or comes from Hugo, which removes HTML,
 * and otherwise `<a id="id"></a>`, which is also valid MDX. Then links from other files work, too. The links are not changed to
 * the new address, because renderers disagree about it for letters outside of ASCII, such as `é`.
 *
 * The element is before its heading, because some renderers would show it in the table of contents. That of a title is after it,
 * because some renderers look for the title at the start of a page.
 */

/** How the links to a heading work after it is translated. */
export interface HeadingLinks {
  /** Returns the change that adds the former addresses to a translated heading. */
  edits(target: InlineContent): readonly Edit[];
  /** Returns a warning for each link that does not work. */
  findings(target: InlineContent): readonly Omit<Finding, 'unitId'>[];
}

interface Link {
  fragment: string;
  at: number;
  /** Whether it is a link of a wiki, which has the text of the heading. */
  isWiki: boolean;
}

type HeadingBlock = TextBlock & { heading: Heading };

/** Finds the headings with links to them that have no identifier in the file. */
export function findHeadingLinks(
  source: string,
  markdown: Markdown,
  blocks: readonly TextBlock[],
): Map<TextBlock, HeadingLinks> {
  const { links, identifiers } = readLinks(source, markdown);
  const byHeading = new Map<
    HeadingBlock,
    { kept: Set<string>; lost: { fragment: string; line: number }[] }
  >();
  const headings = headingsByKey(blocks);
  const lineOf = lineCounter(source);
  for (const link of links.sort((one, other) => one.at - other.at)) {
    const { fragment, at } = link;
    const heading = identifiers.has(fragment) ? undefined : headings.get(keyOf(fragment));
    if (!heading) continue;
    const own = byHeading.get(heading) ?? { kept: new Set(), lost: [] };
    byHeading.set(heading, own);
    if (isIdentifier(link)) own.kept.add(fragment);
    else own.lost.push({ fragment, line: lineOf(at) });
  }
  const hasBraces =
    /^#{1,6}[ \t][^\r\n]*\{#[\w-]+\}[ \t]*\r?$/m.test(source) ||
    (!markdown.isMdx && /^\+\+\+[ \t]*\r?\n|\{\{[<%]/.test(source));
  const found = new Map<TextBlock, HeadingLinks>();
  for (const [block, { kept, lost }] of byHeading) {
    const key = keyOf(sourceText(block));
    const isChanged = (target: InlineContent): boolean => keyOf(plainText(target)) !== key;
    found.set(block, {
      edits: (target) =>
        kept.size > 0 && isChanged(target) ? [editFor(source, block, [...kept], hasBraces)] : [],
      findings: (target) =>
        (isChanged(target) ? lost : []).map(({ fragment, line }) => ({
          severity: 'warning',
          code: 'link_broken',
          message: `line ${line}: the link to the heading “${clip(fragment, 60)}” does not work after the translation of the heading`,
        })),
    });
  }
  return found;
}

/** Whether a heading can have the address of a link as its identifier. Obsidian only finds headings by their text. */
function isIdentifier({ fragment, isWiki }: Link): boolean {
  return !isWiki && /^[\p{L}\p{M}\p{N}_.:~-]+$/u.test(fragment);
}

const letters = /[^\p{L}\p{N}]+/gu;

/** Returns what the addresses of a heading in all renderers have in common: its letters and digits. */
function keyOf(text: string): string {
  return text.normalize('NFKD').replace(letters, '').toLowerCase();
}

/** Renderers number headings with the same text. */
function headingsByKey(blocks: readonly TextBlock[]): Map<string, HeadingBlock> {
  const found = new Map<string, HeadingBlock>();
  const counts = new Map<string, number>();
  for (const block of blocks) {
    if (!isHeading(block)) continue;
    const key = keyOf(textOf(block.heading.node));
    const count = counts.get(key) ?? 0;
    counts.set(key, count + 1);
    const own = count === 0 ? key : `${key}${count}`;
    if (key !== '' && !found.has(own)) found.set(own, block);
  }
  return found;
}

const isHeading = (block: TextBlock): block is HeadingBlock => block.heading !== undefined;

const sourceText = ({ items }: TextBlock): string =>
  items.map(({ type, text = '' }) => (type === 'text' ? text : '')).join('');

function textOf(node: Nodes): string {
  if ('children' in node) return node.children.map(textOf).join('');
  return node.type === 'text' || node.type === 'inlineCode' ? node.value : '';
}

/** Reads the links to the same page, and the identifiers that elements of HTML and attributes in braces have. */
function readLinks(source: string, markdown: Markdown): { links: Link[]; identifiers: ReadonlySet<string> } {
  const links: Link[] = [];
  const identifiers = new Set<string>();
  const add = (fragment: string, at: number, isWiki = false): void => {
    if (fragment !== '') links.push({ fragment: decoded(fragment), at, isWiki });
  };
  const readTags = (from: number, to: number): void => {
    for (const { index, 1: name, 3: value } of source
      .slice(from, to)
      .matchAll(/\s(href|id|name)=(["'])([^"'<>\n]*)\2/gi))
      if (name!.toLowerCase() !== 'href') identifiers.add(value!);
      else if (value!.startsWith('#')) add(value!.slice(1), from + index + 1);
  };
  const visit = (node: Nodes): void => {
    const [start, end] = [node.position?.start.offset ?? 0, node.position?.end.offset ?? 0];
    if ((node.type === 'link' || node.type === 'definition') && node.url.startsWith('#'))
      add(node.url.slice(1), start);
    else if (node.type === 'html') readTags(start, end);
    else if (node.type === 'mdxTextExpression') {
      const id = /^\/\*[ \t]*#(\S+)[ \t]*\*\/$/.exec(node.value)?.[1];
      if (id) identifiers.add(id);
    } else if (node.type === 'mdxJsxFlowElement' || node.type === 'mdxJsxTextElement')
      // The white space before the attribute shows that its name begins there.
      for (const { position } of node.attributes)
        if (position) readTags(position.start.offset! - 1, position.end.offset!);
    if ('children' in node) for (const child of node.children) visit(child);
  };
  visit(markdown.tree);
  for (const { start, end } of markdown.ranges) {
    const written = source.slice(start, end);
    if (written.startsWith('[[#')) add(/^[^\]|]*/.exec(written.slice(3))![0], start, true);
    else if (written.startsWith('{'))
      for (const [, id] of written.matchAll(/(?:#|\bid=["']?)([^\s{}"']+)/g)) identifiers.add(id!);
  }
  return { links, identifiers };
}

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

function editFor(
  source: string,
  { heading, syntax }: HeadingBlock,
  ids: readonly string[],
  hasBraces: boolean,
): Edit {
  const { node, start, end } = heading;
  if (hasBraces && ids.length === 1) {
    const at = node.children.at(-1)!.position!.end.offset!;
    return { start: at, end: at, text: ` {#${ids[0]}}` };
  }
  const newline = /\r\n?|\n/.exec(source)?.[0] ?? '\n';
  const prefix = linePrefix(source, { start, syntax });
  const emptyLine = newline + prefix.trimEnd();
  const next = newline + prefix;
  const anchors = ids.map((id) => `<a id="${id}"></a>`).join('');
  if (node.depth === 1) {
    const isBeforeText = /^(?:\r\n?|\n)[ \t>]*[^\s>]/.test(source.slice(end, end + 1_000));
    return { start: end, end, text: emptyLine + next + anchors + (isBeforeText ? emptyLine : '') };
  }
  const isAfterText = /[^\s>][ \t]*(?:\r\n?|\n)[ \t>]*$/.test(
    source.slice(Math.max(0, start - 1_000), start),
  );
  return { start, end: start, text: (isAfterText ? next : '') + anchors + emptyLine + next };
}
