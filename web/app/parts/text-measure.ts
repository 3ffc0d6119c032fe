import { weighCharacters } from '#server/billing/metering/weight.ts';
import { deployment } from '../deployment.ts';

/** The length of a text as it is limited and metered: in Unicode code points. */
export function lengthOf(text: string): number {
  let length = text.length;
  // Half of a pair is no code point of its own; iterating over the text instead would make a string of each.
  for (let i = 1; i < text.length; i += 1)
    if (isLow(text.charCodeAt(i)) && isHigh(text.charCodeAt(i - 1))) length -= 1;
  return length;
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}

/** What a text of this length takes of the allowance, in weighted characters (A 8.1). */
export function weightOf(length: number, source: string, target: string): number {
  return weighCharacters(length, source, target, deployment.denseScriptWeight);
}
