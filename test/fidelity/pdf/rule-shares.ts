import { Decorations } from '#server/formats/pdf/layout/content/decorations.ts';
import { findTexts } from '#server/formats/pdf/layout/page-texts.ts';
import { breakRules, pairAbove, readingsOf } from '#server/formats/pdf/layout/paragraphs/paragraph-breaks.ts';
import type { TextLine } from '#server/formats/pdf/layout/paragraphs/text-lines.ts';
import { directTexts } from '#server/formats/pdf/layout/pieces.ts';
import type { PageContent } from '#server/formats/pdf/page-content.ts';
import type { Table } from '../report.ts';
import { declaredTexts, hideTags, type Mode } from './tagged-texts.ts';

/** How many pairs of lines a rule decides, how often rightly by the tags, and how often the next rule would be right. */
interface RuleCount {
  pairs: number;
  right: number;
  next: number;
}

export type RuleCounts = Record<Mode, Map<string, RuleCount>>;

export const noCounts = (): RuleCounts => ({ off: new Map(), on: new Map() });

/** Counts the decisions of each rule about the declared texts of a page. */
export function countRules(page: PageContent, mode: Mode, { [mode]: counts }: RuleCounts): void {
  const declared = declaredTexts(page);
  if (!declared) return;
  const rows = new Set(declared.list.flatMap(({ element, isRow }) => (isRow ? element : [])));
  const hidden = mode === 'off' ? hideTags(page) : [];
  const elementOf = ({ glyphs }: TextLine, isLast: boolean) => {
    const seen = glyphs.filter(({ isBlank }) => !isBlank);
    const glyph = isLast ? seen.at(-1) : seen[0];
    const element = glyph && declared.elements.get(glyph.piece.shown.glyphs[glyph.index]!);
    return element && !rows.has(element) ? element : undefined;
  };
  for (const direction of directTexts(page)) {
    const decorations = new Decorations(page, direction.inverse);
    for (const line of findTexts(page, direction, (...of) => decorations.rulesIn(...of)).lines) {
      const pair = pairAbove(line);
      const [upper, lower] = pair ? [elementOf(pair.above, true), elementOf(line, false)] : [];
      if (!pair || !upper || !lower) continue;
      const [rule, next] = readingsOf(pair);
      const count = counts.get(rule!.name) ?? { pairs: 0, right: 0, next: 0 };
      counts.set(rule!.name, count);
      const isBreak = upper !== lower;
      count.pairs++;
      if (rule!.breaks === isBreak) count.right++;
      if ((next ?? rule!).breaks === isBreak) count.next++;
    }
  }
  for (const [text, element] of hidden) text.element = element;
}

/** Returns a table of the rules in the order in which they win. */
export function ruleTable(counts: RuleCounts): Table {
  const cells = (own: ReadonlyMap<string, RuleCount>, name: string): string[] => {
    const all = [...own.values()].reduce((sum, { pairs }) => sum + pairs, 0);
    const { pairs, right, next } = own.get(name) ?? { pairs: 0, right: 0, next: 0 };
    const percent = (part: number, of: number) => (of === 0 ? '–' : `${((100 * part) / of).toFixed(2)} %`);
    return [percent(pairs, all), percent(right, pairs), percent(next, pairs)];
  };
  const head = ['pairs, tags off', 'right', 'next rule', 'pairs, tags on', 'right', 'next rule'];
  return {
    title: 'Rules about two lines',
    head: ['rule', 'it', ...head],
    rows: breakRules.map(({ name, breaks }) => [
      name,
      breaks ? 'breaks' : 'joins',
      ...cells(counts.off, name),
      ...cells(counts.on, name),
    ]),
  };
}
