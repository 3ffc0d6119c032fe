/** On/off properties that a paragraph style and a character style turn off together if both turn them on. */
export const toggles = [
  'b',
  'i',
  'caps',
  'smallCaps',
  'strike',
  'outline',
  'shadow',
  'emboss',
  'imprint',
] as const;

type Toggle = (typeof toggles)[number];
export type Switch = Toggle | 'dstrike' | 'bCs' | 'iCs' | 'rtl' | 'cs';
export type Value =
  | 'u'
  | 'color'
  | 'highlight'
  | 'shd'
  | 'bdr'
  | 'sz'
  | 'szCs'
  | 'vertAlign'
  | 'position'
  | 'spacing'
  | 'em'
  | 'effect'
  | 'font'
  | 'eastAsiaFont'
  | 'csFont';

/**
 * The visible run properties that one `rPr` element sets, by the names of their elements in Word. Values are as in the file;
 * '' stands for the value that changes nothing, such as the underline `none`.
 */
export type RunProperties = Partial<Record<Switch, boolean> & Record<Value, string>>;

/** The visible formatting of a text: the properties that are on, with their values. */
export type TextFormat = Readonly<Omit<RunProperties, 'rtl' | 'cs' | 'bCs' | 'iCs' | 'szCs' | 'csFont'>>;

/** Returns a key that is equal for equal formats. */
export function keyOfFormat(format: TextFormat): string {
  return Object.entries(format)
    .map(([name, value]) => `${name}=${value}`)
    .sort()
    .join(' ');
}

/** Returns the names of the properties in which two formats visibly differ. Half a point of size is not visible. */
export function differences(one: TextFormat, other: TextFormat): Set<keyof TextFormat> {
  const names = new Set([...Object.keys(one), ...Object.keys(other)] as (keyof TextFormat)[]);
  for (const name of names) if (one[name] === other[name]) names.delete(name);
  if (Math.abs(Number(one.sz) - Number(other.sz)) <= 1) names.delete('sz');
  return names;
}
