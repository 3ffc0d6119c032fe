/**
 * A duration in the interface language: minutes and seconds, or tenths of a second below ten seconds. Below a
 * tenth, it is `<0.1s`.
 */
export function durationOf(milliseconds: number, locale: string): string {
  const part = (value: number, unit: 'minute' | 'second') =>
    new Intl.NumberFormat(locale, {
      style: 'unit',
      unit,
      unitDisplay: 'narrow',
      maximumFractionDigits: value < 10 ? 1 : 0,
    }).format(value);
  if (milliseconds < 50) return `<${part(0.1, 'second')}`;
  const seconds = milliseconds < 9950 ? Math.round(milliseconds / 100) / 10 : Math.round(milliseconds / 1000);
  const minutes = Math.floor(seconds / 60);
  return minutes === 0
    ? part(seconds, 'second')
    : `${part(minutes, 'minute')} ${part(seconds % 60, 'second')}`;
}
