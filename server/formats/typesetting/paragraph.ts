import { embeddingLevels } from './bidi.ts';
import { breakOpportunities } from './break-opportunities.ts';
import { fontChoice } from './font-choice.ts';
import { itemize } from './itemize.ts';
import { type Direction, directionOf } from './languages.ts';
import { type Cluster, shapeItem } from './shape.ts';

/** A paragraph, shaped: lines of any width and size can be made of it. */
export interface Paragraph {
  text: string;
  direction: Direction;
  /** In logical order. */
  clusters: readonly Cluster[];
  /** For each cluster, whether a line may start with it: 2 by the rules, 1 where no rule's place is left. */
  mayStartLine: Uint8Array;
}

/**
 * Shapes a paragraph.
 *
 * @param text without line ends; any string is accepted, lone surrogates become U+FFFD
 * @param options.language the text's language tag (BCP 47): fonts, regional forms, line breaks
 * @param options.direction of the paragraph; the language's own where not given
 *
 * Time and memory are linear in the text's length: some 200 bytes and 2 µs a character.
 */
export function shapeParagraph(
  text: string,
  { language, direction = directionOf(language) }: { language: string; direction?: Direction | undefined },
): Paragraph {
  const wellFormed = text.toWellFormed();
  const levels = embeddingLevels(wellFormed, direction);
  const boundaries = new Uint8Array(wellFormed.length + 1);
  const items = itemize(wellFormed, levels, fontChoice(language), boundaries);
  const opportunities = breakOpportunities(wellFormed, language);
  const clusters: Cluster[] = [];
  for (const item of items)
    for (const cluster of shapeItem(wellFormed, item, language)) clusters.push(cluster);
  const mayStartLine = Uint8Array.from(clusters, ({ start }) =>
    boundaries[start] ? 1 + opportunities[start]! : 0,
  );
  return { text: wellFormed, direction, clusters, mayStartLine };
}
