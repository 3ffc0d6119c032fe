import type { ContentScanner } from './content-scanner.ts';
import { Name } from './operand.ts';

/**
 * A fill or stroke color. Both are stored as the operators that set a fill color, because translated text is filled.
 */
export interface Color {
  /** The operators that set the color, for example `0 0 0 rg`. Empty for the initial color, and for patterns. */
  operators: string;
  /** The operator that sets the color space of the color; empty if no operator is needed. */
  space: string;
  /**
   * Whether the operators have the same meaning in the page's content stream. In a form, the names of color spaces may
   * refer to other color spaces.
   */
  isPortable: boolean;
  isPattern: boolean;
}

export const black: Color = { operators: '', space: '', isPortable: true, isPattern: false };

/**
 * Returns the color that a color operator sets.
 *
 * @param operator the name of the operator in lower case, as for fill colors: g, rg, k, cs, sc or scn
 * @param isPage whether the operator is in the page's content stream, not in a form
 */
export function nextColor(operator: string, color: Color, scanner: ContentScanner, isPage: boolean): Color {
  if (operator === 'cs') return inSpace(scanner.name() ?? 'DeviceGray', isPage);
  if (operator === 'sc' || operator === 'scn') return withComponents(color, scanner);
  const { space, count } = devices[operator as keyof typeof devices];
  const numbers = scanner.numbers(count);
  if (numbers === undefined) return color;
  return { ...black, space, operators: `${numbers.map(formatNumber).join(' ')} ${operator}` };
}

/** The color spaces that the operators for device colors also set, and the numbers of their components. */
const devices = {
  g: { space: '/DeviceGray cs', count: 1 },
  rg: { space: '/DeviceRGB cs', count: 3 },
  k: { space: '/DeviceCMYK cs', count: 4 },
};

/** Returns the initial color of a color space. */
function inSpace(name: string, isPage: boolean): Color {
  const isPattern = name === 'Pattern';
  const space = `${formatName(name)} cs`;
  const isPortable = isPage || /^Device(Gray|RGB|CMYK)$/.test(name);
  return { operators: isPattern ? '' : space, space, isPortable, isPattern };
}

function withComponents(color: Color, scanner: ContentScanner): Color {
  const { operands } = scanner;
  if (operands.at(-1) instanceof Name) return { ...color, operators: '', isPattern: true };
  const numbers = scanner.numbers(operands.length);
  if (numbers === undefined || numbers.length === 0 || color.isPattern) return color;
  // The default color space is DeviceGray.
  const space = color.space || '/DeviceGray cs';
  return { ...color, space, operators: `${space} ${numbers.map(formatNumber).join(' ')} scn` };
}

/** Formats a number for a content stream. Content streams do not allow exponents. */
export function formatNumber(value: number): string {
  const rounded = Math.round(value * 1e6) / 1e6;
  return Object.is(rounded, -0) ? '0' : plain(rounded);
}

const plain = (value: number): string => (Math.abs(value) < 1e21 ? trim(value.toFixed(6)) : '0');
const trim = (digits: string): string => digits.replace(/\.?0+$/, '');

/** Formats a name for a content stream, with its slash. */
export function formatName(name: string): string {
  return `/${name.replace(/[^!-~]|[#()<>[\]{}/%]/g, (unit) => `#${unit.charCodeAt(0).toString(16).padStart(2, '0')}`)}`;
}
