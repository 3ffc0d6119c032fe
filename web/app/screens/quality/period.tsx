import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useT } from '../../i18n.tsx';
import { Row } from '../../kit/box.tsx';
import { NativeSelect } from '../../kit/field.tsx';
import { LanguageSelect } from '../../parts/languages.tsx';

const dayMs = 86_400_000;
const periods = [30, 90, 180, 365] as const;

/** The days and the language of a report, from the URL. */
export function usePeriod() {
  const { days, language } = useSearch({ from: '/workspace/app/quality' });
  const to = new Date().toISOString().slice(0, 10);
  const from = new Date(Date.parse(to) - ((days ?? 180) - 1) * dayMs).toISOString().slice(0, 10);
  return { days: days ?? 180, query: { from, to, ...(language && { target_lang: language }) } };
}

/** Selects the days and the language of a report. @param children the actions of the report */
export function PeriodChoice({ children }: { children?: ReactNode }) {
  const t = useT();
  const navigate = useNavigate({ from: '/app/quality' });
  const { days, query } = usePeriod();
  const show = (changed: { days?: number; language?: string }) =>
    void navigate({ search: (before) => ({ ...before, ...changed }), replace: true });
  return (
    <Row gap={4} align="end">
      <LanguageSelect
        label={t('quality.language')}
        any={t('quality.all_languages')}
        value={query.target_lang ?? ''}
        onChange={(language) => show({ language })}
      />
      <NativeSelect
        label={t('quality.period')}
        value={String(days)}
        options={periods.map((one) => [String(one), t('quality.last_days', { days: one })])}
        onChange={(chosen) => show({ days: Number(chosen) })}
      />
      {children}
    </Row>
  );
}
