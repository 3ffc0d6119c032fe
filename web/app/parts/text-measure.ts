import { weighCharacters } from '#server/billing/metering/weight.ts';
import { deployment } from '../deployment.ts';

/** The length of a text in Unicode code points: the unit of limits and metering. */
export function lengthOf(text: string): number {
  let length = text.length;
  // The second half of a surrogate pair does not count. This loop is cheaper than an iteration by code points, which
  // would create a string for each character.
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

/** The weighted characters that a text of this length, in code points, uses from the allowance. */
export function weightOf(length: number, source: string, target: string): number {
  return weighCharacters(length, source, target, deployment.denseScriptWeight);
}
