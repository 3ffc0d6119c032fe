import type { Item } from '../markup/inline-runs.ts';
import type { MarkupTexts } from './block-reader.ts';

/** A comment that only some programs read as HTML, such as `<!--[if mso]>…<![endif]-->` in a mail for Outlook. */
const conditional = /^<!--\[if\b[^\]]*\]>([\s\S]*)<!\[endif\]-->$/i;

/** Settings of Office, whose texts are code. */
const settings = /<(xml|style|script)\b[\s\S]*?<\/\1\s*>/gi;

const words = /[\p{L}\p{N}]/u;

/**
 * Reads the texts of the conditional comments of a page. Their HTML is often not balanced, such as the start of a table around
 * the rest of the page, so each comment is read as a fragment.
 *
 * @param comments the ranges of all comments
 * @param read reads a fragment
 */
export function readConditionalComments(
  source: string,
  comments: readonly { start: number; end: number }[],
  read: (html: string) => MarkupTexts,
): MarkupTexts[] {
  return comments.flatMap(({ start, end }) => {
    const [, inner] = conditional.exec(source.slice(start, end)) ?? [];
    if (inner === undefined) return [];
    // The tag of a block, so that a text ends before the settings.
    const html = inner.replace(settings, (found) => `<hr${' '.repeat(found.length - '<hr>'.length)}>`);
    const hasTexts =
      words.test(html.replace(/<[^<>]*>/g, '')) || /\s(?:alt|title|aria-label)\s*=/i.test(html);
    return hasTexts ? [shifted(read(html), end - '<![endif]-->'.length - inner.length)] : [];
  });
}

/** Moves the texts of a part to its place in the file. */
export function shifted(markup: MarkupTexts, offset: number): MarkupTexts {
  const move = <Range extends { start: number; end: number }>(range: Range): Range => ({
    ...range,
    start: range.start + offset,
    end: range.end + offset,
  });
  return {
    ...markup,
    blocks: markup.blocks.map((block) => ({ ...block, items: block.items.map((item): Item => move(item)) })),
    attributes: markup.attributes.map(move),
    templateCode: markup.templateCode.map(move),
    declarations: [],
  };
}
