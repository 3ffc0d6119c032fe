import type { Nodes, Root } from 'mdast';
import { type CompileContext, type Extension, fromMarkdown } from 'mdast-util-from-markdown';
import { frontmatterFromMarkdown } from 'mdast-util-frontmatter';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { mdxFromMarkdown } from 'mdast-util-mdx';
import { frontmatter } from 'micromark-extension-frontmatter';
import { gfm } from 'micromark-extension-gfm';
import { mdxjs } from 'micromark-extension-mdxjs';
import type { Construct, Extension as Syntax } from 'micromark-util-types';
import { type ForeignOptions, type MaskedSource, maskForeignSyntax } from './foreign-syntax.ts';

export interface Markdown extends MaskedSource {
  tree: Root;
  isMdx: boolean;
  /** The ranges of the labels of links and images, and of their titles without quotes, in the order of their starts. */
  labels: readonly Range[];
  titles: readonly Range[];
}

export interface Range {
  start: number;
  end: number;
}

/** The numbers up to which a file is tried as MDX. The time of its parser grows with the square of the tags that are not closed. */
const maxMdx = { length: 500_000, signs: 10_000 };

/**
 * Parses a file with the extensions of GitHub and with front matter. A file that is named as MDX, or that has modules or
 * components, is read as MDX if it is valid MDX. Otherwise, its modules are masked, and its components are HTML.
 */
export function parseMarkdown(source: string, isNamedMdx: boolean): Markdown {
  if (mayBeMdx(source, isNamedMdx)) {
    // In an expression, `[[1]]` and a line `: value` are code.
    for (const isCautious of [false, true]) {
      try {
        return parseBlocks(source, { isMdx: true, isCautious });
      } catch {
        // The file is not valid MDX, such as a file with `<` before a number.
      }
    }
  }
  return parseBlocks(source, { isMdx: false });
}

/** Parses a file until no mark of a block is read as text, as in a line that is too far to the right for a block. */
function parseBlocks(source: string, options: ForeignOptions): Markdown {
  const ignored = new Set<number>();
  for (let attempt = 0; attempt < 2; attempt++) {
    const markdown = parse(source, { ...options, ignored });
    const texts = blocksInTexts(markdown);
    if (texts.length === 0) return markdown;
    for (const start of texts) ignored.add(start);
  }
  return parse(source, { ...options, ignored: 'all' });
}

/** Returns the starts of the blocks that are not blocks for the parser. */
function blocksInTexts({ tree, blocks }: Markdown): number[] {
  const found: number[] = [];
  let next = 0;
  // The tree can be deeper than the stack.
  const nodes: Nodes[] = blocks.length === 0 ? [] : [tree];
  for (let node = nodes.pop(); node; node = nodes.pop()) {
    if ('children' in node) for (const child of [...node.children].reverse()) nodes.push(child);
    if (node.type !== 'text') continue;
    const [start, end] = [node.position!.start.offset!, node.position!.end.offset!];
    while (next < blocks.length && blocks[next]!.start < start) next++;
    for (; next < blocks.length && blocks[next]!.start < end; next++) found.push(blocks[next]!.start);
  }
  return found;
}

/** Whether a file is tried as MDX. */
export function mayBeMdx(source: string, isNamedMdx: boolean): boolean {
  const isSmall = source.length <= maxMdx.length && (source.match(/[<{]/g)?.length ?? 0) <= maxMdx.signs;
  return isSmall && (isNamedMdx || looksLikeMdx(source));
}

/** Whether a line outside of code begins with a module or a component, which Markdown does not have. */
function looksLikeMdx(source: string): boolean {
  let fence: string | undefined;
  for (const line of source.split(/\r\n?|\n/)) {
    const mark = /^[ \t>]*(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark && (fence === undefined || mark.startsWith(fence)))
      fence = fence === undefined ? mark : undefined;
    else if (
      fence === undefined &&
      /^\s*(?:import\s.*['"]|export\s+(?:const|default|function)\s|<[A-Z][\w.]*[\s/>]|<[A-Z][\w.]*$|<>)/.test(
        line,
      )
    )
      return true;
  }
  return false;
}

/** The constructs of GitHub that are tried at every letter, and the signs without which a file has none of them. */
const literals: Readonly<Record<string, RegExp>> = {
  emailAutolink: /@/,
  protocolAutolink: /:\/\//,
  wwwAutolink: /www\./i,
};

/** Returns the syntax of GitHub without the constructs that a text cannot have. They take a third of the time. */
function gfmFor(text: string): Syntax {
  const { text: constructs = {}, ...others } = gfm();
  const isNeeded = ({ name = '' }: Construct) => !Object.hasOwn(literals, name) || literals[name]!.test(text);
  return {
    ...others,
    text: Object.fromEntries(
      Object.entries(constructs).map(([code, list]) => [code, [list ?? []].flat().filter(isNeeded)]),
    ),
  };
}

function parse(source: string, options: ForeignOptions): Markdown {
  const { isMdx } = options;
  const masked = maskForeignSyntax(source, options);
  const [labels, titles]: [Range[], Range[]] = [[], []];
  const positions: Extension = {
    enter: {
      labelText({ start, end }) {
        labels.push({ start: start.offset, end: end.offset });
      },
      resourceTitleString(this: CompileContext, { start, end }) {
        titles.push({ start: start.offset, end: end.offset });
        this.buffer();
      },
    },
  };
  // The parser misreads quotes after front matter that is not closed.
  const hasFrontMatter = /^(---|\+\+\+)[ \t]*[\r\n](?:[\s\S]*?[\r\n])?\1[ \t]*(?:[\r\n]|$)/.test(masked.text);
  const tree = fromMarkdown(masked.text, {
    extensions: [
      gfmFor(masked.text),
      ...(hasFrontMatter ? [frontmatter(['yaml', 'toml'])] : []),
      ...(isMdx ? [mdxjs()] : []),
    ],
    mdastExtensions: [
      // Their transforms find addresses that the parser has not found, and give them no positions.
      ...gfmFromMarkdown().map(({ transforms, ...extension }) => extension),
      frontmatterFromMarkdown(['yaml', 'toml']),
      ...(isMdx ? [mdxFromMarkdown()] : []),
      positions,
    ],
  });
  return { ...masked, tree, isMdx, labels, titles };
}
