import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { QualityChecksQuery, QualitySettings } from '#sdk/types.ts';
import { useT } from '../../i18n.tsx';
import { Grid } from '../../kit/box.tsx';
import { Field } from '../../kit/field.tsx';
import { Form } from '../../kit/form.tsx';
import { Section } from '../../kit/section.tsx';
import { announce } from '../../parts/announcer.tsx';
import { LanguageSelect, useLanguages } from '../../parts/languages.tsx';
import { Read } from '../../parts/loading.tsx';
import { procedures } from '../../procedures.ts';
import { queryKeys } from '../../query-keys.ts';

/** How texts are drawn for spot checks, or how quality checks are scored. */
export function CheckSettings({ origin }: { origin: Origin }) {
  const t = useT();
  const settings = useQuery({
    queryKey: queryKeys.quality.settings,
    queryFn: () => procedures.quality.settings.query(),
  });
  return (
    <Section title={t(`quality.settings_${origin}`)} why={t(`quality.settings_${origin}_why`)}>
      <Read from={settings}>{(found) => <Values origin={origin} settings={found} />}</Read>
    </Section>
  );
}

type Origin = QualityChecksQuery['origin'];

const points = ['minor_points', 'major_points', 'critical_points', 'pass_score'] as const;

function Values({ origin, settings }: { origin: Origin; settings: QualitySettings }) {
  const t = useT();
  const queries = useQueryClient();
  const { nameOf } = useLanguages();
  const [form, setForm] = useState(settings);
  const save = async () => {
    queries.setQueryData(queryKeys.quality.settings, await procedures.quality.saveSettings.mutate(form));
    announce(t('common.saved'));
  };
  const numberField = (
    label: string,
    value: number,
    step: number | 'any',
    set: (value: number) => void,
    max = 100,
  ) => (
    <Field
      key={label}
      label={label}
      type="number"
      required
      min={0}
      max={max}
      step={step}
      value={String(value)}
      onValue={(typed) => set(Number(typed))}
    />
  );
  const setLanguages = (language_percents: QualitySettings['language_percents']) =>
    setForm({ ...form, language_percents });
  return (
    <Form action={t('common.save')} onSubmit={save}>
      <Grid least={10} align="end">
        {origin === 'quality_check'
          ? points.map((name) =>
              numberField(
                t(`quality.${name}`),
                form[name],
                name === 'pass_score' ? 'any' : 1,
                (value) => setForm({ ...form, [name]: value }),
                name === 'pass_score' ? 100 : 1000,
              ),
            )
          : [
              numberField(t('quality.percent'), form.sample_percent, 'any', (sample_percent) =>
                setForm({ ...form, sample_percent }),
              ),
              ...Object.entries(form.language_percents).map(([language, percent]) =>
                numberField(
                  t('quality.percent_of', { language: nameOf(language) }),
                  percent,
                  'any',
                  (value) => setLanguages({ ...form.language_percents, [language]: value }),
                ),
              ),
              <LanguageSelect
                key="other"
                label={t('quality.other_percent')}
                first={{ value: '', name: t('quality.choose') }}
                value=""
                onChange={(language) => {
                  if (language) setLanguages({ [language]: form.sample_percent, ...form.language_percents });
                }}
              />,
            ]}
      </Grid>
    </Form>
  );
}
