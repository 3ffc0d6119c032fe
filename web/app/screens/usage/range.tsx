import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useT } from '../../i18n.tsx';
import { Field } from '../../parts/field.tsx';
import { Segments } from './report-parts.tsx';
import { useRange } from './reports.ts';
import styles from './usage.module.css';

const dayMs = 86_400_000;
/** Numbers of days that are selected with one click; the last day is today. */
const presets = ['7', '30', '90', '365'] as const;

type Preset = (typeof presets)[number];

function lastDays(days: number): { from: string; to: string } {
  const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);
  return { from: dayOf(Date.now() - (days - 1) * dayMs), to: dayOf(Date.now()) };
}

/** Selects the days of all reports: by one click, or a first and a last day. */
export function RangeChoice() {
  const t = useT();
  const navigate = useNavigate({ from: '/app/reports' });
  const shown = { ...lastDays(30), ...useRange() };
  const preset = presets.find((days) => {
    const { from, to } = lastDays(Number(days));
    return from === shown.from && to === shown.to;
  });
  const show = (range: { from: string; to: string }) =>
    void navigate({ search: (before) => ({ ...before, ...range }) });
  return (
    <>
      <Segments<Preset | 'other'>
        label={t('usage.range')}
        value={preset ?? 'other'}
        options={presets.map((value) => ({ value, name: t('usage.last_days', { days: Number(value) }) }))}
        onChange={(days) => show(lastDays(Number(days)))}
      />
      <Days key={`${shown.from} ${shown.to}`} shown={shown} onShow={show} />
    </>
  );
}

function Days({
  shown,
  onShow,
}: {
  shown: { from: string; to: string };
  onShow: (range: { from: string; to: string }) => void;
}) {
  const t = useT();
  const [range, setRange] = useState(shown);
  return (
    <form
      className={styles['range']}
      onSubmit={(event) => {
        event.preventDefault();
        onShow(range);
      }}
    >
      <Field
        label={t('usage.first_day')}
        type="date"
        required
        max={range.to}
        value={range.from}
        onValue={(from) => setRange({ ...range, from })}
      />
      <Field
        label={t('usage.last_day')}
        type="date"
        required
        min={range.from}
        value={range.to}
        onValue={(to) => setRange({ ...range, to })}
      />
      <button type="submit">{t('usage.show')}</button>
    </form>
  );
}
