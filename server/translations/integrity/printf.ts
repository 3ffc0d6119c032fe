import type { Found } from './found.ts';

/**
 * One conversion of a printf format. Its key is `%s` without width and precision, or `%2$s` where it names its
 * argument.
 */
export interface Conversion extends Found {
  /** The argument it names, from 1; undefined where it takes the next one. */
  position: number | undefined;
  /** Length and type: `s`, `ld`. */
  type: string;
}

const numbered = (conversions: readonly Conversion[]): Conversion[] => {
  let next = 0;
  return conversions.map((conversion) => {
    // A width or precision `*` takes a value of its own.
    next += conversion.position === undefined ? 1 + conversion.span.split('*').length - 1 : 0;
    const position = conversion.position ?? next;
    return { ...conversion, position, key: `%${position}$${conversion.type}` };
  });
};

/**
 * The two sides of a format, both by position if either is: a translator who turns arguments around has to number
 * them.
 */
export function aligned(
  source: readonly Conversion[],
  target: readonly Conversion[],
): [Conversion[], Conversion[]] {
  const byPosition = [...source, ...target].some(({ position }) => position !== undefined);
  if (source.length === 0 || !byPosition) return [[...source], [...target]];
  return [numbered(source), numbered(target)];
}

/** Whether conversions that take the next argument each come in another order than those of the source. */
export function reordered(source: readonly Conversion[], target: readonly Conversion[]): boolean {
  if (source.length !== target.length || source.some(({ position }) => position !== undefined)) return false;
  return source.some(({ key }, i) => key !== target[i]!.key);
}
