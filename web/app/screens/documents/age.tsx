import { useInterface } from '../../i18n.tsx';
import { useFormat } from '../../parts/format.ts';

const minute = 60_000;
const steps = [
  ['minute', minute],
  ['hour', 60 * minute],
  ['day', 24 * 60 * minute],
] as const;

/** After this time, the date is shown. */
const recent = 7 * 24 * 60 * minute;

/** How long ago something happened, such as `5 hours ago` or `yesterday`; after a week, the date. @param at ISO 8601 */
export function Age({ at }: { at: string }) {
  const { locale } = useInterface();
  const { day, moment } = useFormat();
  const passed = Math.max(0, Date.now() - Date.parse(at));
  const [unit, length] = steps.findLast(([, length]) => passed >= length) ?? steps[0];
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  return (
    <time dateTime={at} title={moment(at)}>
      {passed > recent ? day(at) : relative.format(-Math.floor(passed / length), unit)}
    </time>
  );
}
