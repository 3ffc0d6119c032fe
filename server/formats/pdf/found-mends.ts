import type { Mend, SimilarPlace } from '../document.ts';
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

/** A mend, with the texts that it changes as they are before it. */
export interface MendStep {
  mend: PortableMend;
  texts: readonly MarkedText[];
}

/** A mend that another file may have, too. */
export type PortableMend = SimilarPlace['mend'];

export type MarkedText = Pick<SeenText, 'box' | 'id' | 'look' | 'page' | 'reason' | 'text'>;

/** Returns the mends of a file with their texts. A mend whose texts are not there is left out. */
export async function stepsOf(mends: readonly Mend[], read: ReadSeen): Promise<MendStep[]> {
  const steps: MendStep[] = [];
  for (const [index, mend] of mends.entries()) {
    const seen: SeenText[] = [];
    for (const page of pagesOf([mend])) seen.push(...(await read(page, mends.slice(0, index))));
    const texts = idsOf(mend).flatMap((id) => seen.find((text) => text.id === id) ?? []);
    if (texts.length === idsOf(mend).length) steps.push({ mend, texts: texts.map(marked) });
  }
  return steps;
}

export const marked = ({ id, page, text, look, box, reason }: SeenText): MarkedText => ({
  ...{ id, page, text, look, reason },
  box: { left: box.left, bottom: box.bottom, right: box.right, top: box.top },
});

/**
 * Finds mends in a file.
 * @param pagesFor the pages on which a mend may be, in the order in which they are searched
 * @returns the mends of this file, in the same order. One whose texts are not found is left out
 */
export async function findSteps(
  steps: readonly MendStep[],
  read: ReadSeen,
  pagesFor: (step: MendStep) => readonly number[],
): Promise<PortableMend[]> {
  const found: PortableMend[] = [];
  for (const step of steps)
    for (const number of pagesFor(step)) {
      const made = found.filter((mend) => mend.kind !== 'keep');
      const others = await read(number, made);
      const same = step.texts.map((text) => sameText(text, others));
      if (!same.every((text) => text !== undefined)) continue;
      const [id = '', like = ''] = same.map((text) => text.id);
      const { mend } = step;
      if (mend.kind === 'join') found.push({ kind: 'join', ids: same.map((text) => text.id) });
      else found.push(mend.kind === 'size' ? { ...mend, id, like } : { ...mend, id });
      break;
    }
  return found;
}

function sameText(text: MarkedText, others: readonly SeenText[]): SeenText | undefined {
  const alike = others.filter(({ look, reason }) => look === text.look && reason === text.reason);
  const byPlace = alike
    .map((other) => ({ other, distance: boxDistance(text.box, other.box) }))
    .sort((one, two) => one.distance - two.distance);
  const named = byPlace.find(({ other }) => other.text === text.text);
  const [nearest] = byPlace;
  return named?.other ?? (nearest && nearest.distance < samePlace ? nearest.other : undefined);
}
