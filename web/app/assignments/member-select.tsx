import { Link } from '@tanstack/react-router';
import { covers } from '#server/member-languages.ts';
import { useT } from '../i18n.tsx';
import { useFormat } from '../parts/format.ts';
import { plainName } from '../parts/language-text.tsx';
import { useLanguages } from '../parts/languages.tsx';
import type { Colleague } from './colleagues.ts';

/** The value of a field whose items keep the members they have. */
export const keep = 'keep';

/** Most members who cannot be selected, but are shown, so that their absence from the list is explained. */
const maxOthers = 50;

/** A field for the first or second reviewer: those with the languages, the least booked first; others cannot be selected. */
export function MemberSelect({
  label,
  role,
  group,
  colleagues,
  other,
  value,
  isMixed,
  onChange,
}: {
  label: string;
  role: 'review' | 'second';
  group: { source_lang: string; target_lang: string };
  colleagues: readonly Colleague[];
  /** The ID of the member who makes the other review. */
  other: string;
  value: string;
  /** Whether the items have different members. */
  isMixed: boolean;
  onChange: (value: string) => void;
}) {
  const t = useT();
  const { nameOf } = useLanguages();
  const { utcDay, number } = useFormat();
  const isFit = (one: Colleague) => covers(one.languages, role, group) && one.user_id !== other;
  const fit = colleagues
    .filter((one) => isFit(one) || one.user_id === value)
    .toSorted((a, b) => Number(a.is_away) - Number(b.is_away) || (a.load?.words ?? 0) - (b.load?.words ?? 0));
  const others = colleagues.filter((one) => !fit.includes(one)).slice(0, maxOthers);
  const nameFor = ({ user_id, name, email, load, is_away, away_to }: Colleague) => {
    // Two members may have the same name, or one the email address of another as a name.
    const isShared = colleagues.some((one) => one.user_id !== user_id && one.name === name);
    const notes = [
      ...(isShared && name !== email ? [email] : []),
      ...(load && load.items > 0
        ? [t('assignments.words', { count: load.words, shown: number(load.words) })]
        : []),
      ...(is_away && away_to ? [t('assignments.away_until', { day: utcDay(away_to) })] : []),
    ];
    const shown = plainName(name);
    return notes.length > 0 ? `${shown} (${notes.join(', ')})` : shown;
  };
  // A member whose access was revoked is not among the colleagues.
  const isGone = value !== '' && value !== keep && !colleagues.some(({ user_id }) => user_id === value);
  const language = nameOf(group.target_lang);
  return (
    <label>
      {label}
      <select value={value} onChange={({ target }) => onChange(target.value)}>
        {isMixed && <option value={keep}>{t('assignments.keep')}</option>}
        <option value="">{t(role === 'review' ? 'assignments.unassigned' : 'assignments.no_second')}</option>
        {isGone && <option value={value}>{t('assignments.present_member')}</option>}
        {fit.length > 0 && (
          <optgroup label={t('assignments.reads', { language })}>
            {fit.map((one) => (
              <option key={one.user_id} value={one.user_id}>
                {nameFor(one)}
              </option>
            ))}
          </optgroup>
        )}
        {others.length > 0 && (
          <optgroup label={t('assignments.not_available')}>
            {others.map((one) => (
              <option key={one.user_id} disabled>
                {plainName(one.name)}
              </option>
            ))}
          </optgroup>
        )}
      </select>
      {fit.length === 0 && (
        <span className="hint">
          {t('assignments.no_reviewer', { language })}{' '}
          <Link to="/app/settings/members">{t('assignments.add_languages')}</Link>
        </span>
      )}
    </label>
  );
}
