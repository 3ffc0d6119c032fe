import type { ContentScanner } from './content-scanner.ts';
import { Name } from './operand.ts';

/** A fill or stroke colour. Both are kept as the operators that set a fill, because text is set again by filling. */
export interface Colour {
  /** Such as `0 0 0 rg`. Empty for the initial colour, and for patterns. */
  operators: string;
  /** The operator that sets its colour space; empty for those that need none. */
  space: string;
  /** Whether the operators mean the same in the page's own stream: a form may have names of its own. */
  isPortable: boolean;
  isPattern: boolean;
}

export const black: Colour = { operators: '', space: '', isPortable: true, isPattern: false };

/**
 * Returns the colour that a colour operator sets.
 *
 * @param operator in lower case, as for fills: g, rg, k, cs, sc or scn
 * @param isPage whether the operator is in the page's own stream
 */
export function nextColour(
  operator: string,
  colour: Colour,
  scanner: ContentScanner,
  isPage: boolean,
): Colour {
  if (operator === 'cs') return inSpace(scanner.name() ?? 'DeviceGray', isPage);
  if (operator === 'sc' || operator === 'scn') return withComponents(colour, scanner);
  const numbers = scanner.numbers({ g: 1, rg: 3, k: 4 }[operator]!);
  if (numbers === undefined) return colour;
  return { ...black, operators: `${numbers.map(formatNumber).join(' ')} ${operator}` };
}

/** The initial colour of a colour space. */
function inSpace(name: string, isPage: boolean): Colour {
  const isPattern = name === 'Pattern';
  const space = `${formatName(name)} cs`;
  const isPortable = isPage || /^Device(Gray|RGB|CMYK)$/.test(name);
  return { operators: isPattern ? '' : space, space, isPortable, isPattern };
}

function withComponents(colour: Colour, scanner: ContentScanner): Colour {
  const { operands } = scanner;
  if (operands.at(-1) instanceof Name) return { ...colour, operators: '', isPattern: true };
  const numbers = scanner.numbers(operands.length);
  if (numbers === undefined || numbers.length === 0 || colour.isPattern) return colour;
  // Without a colour space it is gray.
  const space = colour.space || '/DeviceGray cs';
  return { ...colour, space, operators: `${space} ${numbers.map(formatNumber).join(' ')} scn` };
}

/** Writes a number for a content stream, which has no exponents. */
export function formatNumber(value: number): string {
  const rounded = Math.round(value * 1e6) / 1e6;
  return Object.is(rounded, -0) ? '0' : plain(rounded);
}

const plain = (value: number): string => (Math.abs(value) < 1e21 ? trim(value.toFixed(6)) : '0');
const trim = (digits: string): string => digits.replace(/\.?0+$/, '');

/** Writes a name with its slash. */
export function formatName(name: string): string {
  return `/${name.replace(/[^!-~]|[#()<>[\]{}/%]/g, (unit) => `#${unit.charCodeAt(0).toString(16).padStart(2, '0')}`)}`;
}
