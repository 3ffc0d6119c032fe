import type { Mend } from '../document.ts';
import { boxDistance } from './geometry.ts';
import { idsOf, pagesOf } from './mends.ts';
import type { SeenText } from './similar-places.ts';

/*
 * Finds the places of mends in another file that is like the one in which they were made, such as its next version. A place
 * is that of texts with the same look and words, or with the same look at the same place of a page.
 */

/** Reads the texts of a page after mends. */
export type ReadSeen = (page: number, mends: readonly Mend[]) => Promise<SeenText[]>;

/** The maximum distance of a text from its place in the other file, in points. */
const samePlace = 2;

/**
 * @param read reads the pages of the file in which the mends were made
 * @param readOther reads those of the other file, which has `pages`
 * @returns the mends of the other file, in the same order. A mend whose texts are not found there is left out
 */
export async function findMends(
  mends: readonly Mend[],
  read: ReadSeen,
  readOther: ReadSeen,
  pages: number,
): Promise<Mend[]> {
  const found: Mend[] = [];
  for (const [index, mend] of mends.entries()) {
    const own: SeenText[] = [];
    for (const page of pagesOf([mend])) own.push(...(await read(page, mends.slice(0, index))));
    const texts = idsOf(mend).flatMap((id) => own.find((text) => text.id === id) ?? []);
    const [first] = texts;
    if (!first || texts.length < idsOf(mend).length) continue;
    // The pages nearest to that of the mend come first.
    const numbers = Array.from({ length: pages }, (_, at) => at + 1).sort(
      (one, other) => Math.abs(one - first.page) - Math.abs(other - first.page),
    );
    for (const number of numbers) {
      const others = await readOther(number, found);
      const same = texts.map((text) => sameText(text, others));
      if (!same.every((text) => text !== undefined)) continue;
      const [id = '', like = ''] = same.map((text) => text.id);
      if (mend.kind === 'join') found.push({ kind: 'join', ids: same.map((text) => text.id) });
      else found.push(mend.kind === 'size' ? { ...mend, id, like } : { ...mend, id });
      break;
    }
  }
  return found;
}

function sameText(text: SeenText, others: readonly SeenText[]): SeenText | undefined {
  const alike = others.filter(({ look, reason }) => look === text.look && reason === text.reason);
  const byPlace = alike
    .map((other) => ({ other, distance: boxDistance(text.box, other.box) }))
    .sort((one, two) => one.distance - two.distance);
  const named = byPlace.find(({ other }) => other.text === text.text);
  const [nearest] = byPlace;
  return named?.other ?? (nearest && nearest.distance < samePlace ? nearest.other : undefined);
}
