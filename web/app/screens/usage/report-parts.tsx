import { useId } from 'react';
import { useT } from '../../i18n.tsx';
import { useFormat } from '../../parts/format.ts';
import styles from './usage.module.css';

/** A choice between a few options, all of which are visible. */
export function Segments<V extends string>({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: V;
  options: readonly { value: V; name: string }[];
  onChange: (value: V) => void;
}) {
  const name = useId();
  return (
    <fieldset className={styles['segments']}>
      <legend className="visually-hidden">{label}</legend>
      {options.map((option) => (
        <label key={option.value}>
          <input
            type="radio"
            name={name}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
          />
          {option.name}
        </label>
      ))}
    </fieldset>
  );
}

/** Says since when the jobs of a report are counted, if there were too many to count them all. */
export function CountedFrom({ of: { counted_from } }: { of: { counted_from: string | null } }) {
  const t = useT();
  const { moment } = useFormat();
  if (counted_from === null) return null;
  return <p className="notice">{t('usage.counted_from', { when: moment(counted_from) })}</p>;
}
