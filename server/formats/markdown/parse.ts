import type { Root } from 'mdast';
import { type CompileContext, type Extension, fromMarkdown } from 'mdast-util-from-markdown';
import { frontmatterFromMarkdown } from 'mdast-util-frontmatter';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { mdxFromMarkdown } from 'mdast-util-mdx';
import { frontmatter } from 'micromark-extension-frontmatter';
import { gfm } from 'micromark-extension-gfm';
import { mdxjs } from 'micromark-extension-mdxjs';
import { type MaskedSource, maskForeignSyntax } from './foreign-syntax.ts';

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
  if (canBeMdx(source) && (isNamedMdx || looksLikeMdx(source))) {
    try {
      return parse(source, true);
    } catch {
      // The file is not valid MDX, such as a file with `<` before a number.
    }
  }
  return parse(source, false);
}

function canBeMdx(source: string): boolean {
  return source.length <= maxMdx.length && (source.match(/[<{]/g)?.length ?? 0) <= maxMdx.signs;
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

function parse(source: string, isMdx: boolean): Markdown {
  const masked = maskForeignSyntax(source, isMdx);
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
  const hasFrontMatter = /^(---|\+\+\+)[ \t]*\r?\n(?:[\s\S]*?\r?\n)?\1[ \t]*(?:\r?\n|$)/.test(masked.text);
  const tree = fromMarkdown(masked.text, {
    extensions: [
      gfm(),
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
