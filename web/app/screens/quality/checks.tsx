import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { QualityCheckSummary, QualityChecksQuery } from '#sdk/types.ts';
import { useT } from '../../i18n.tsx';
import { Row } from '../../kit/box.tsx';
import { Field } from '../../kit/field.tsx';
import { Segments } from '../../kit/segments.tsx';
import { Badge } from '../../kit/text.tsx';
import { announce } from '../../parts/announcer.tsx';
import { useFormat } from '../../parts/format.ts';
import { LanguageSelect, useLanguages } from '../../parts/languages.tsx';
import { Read } from '../../parts/loading.tsx';
import { Problem } from '../../parts/problem.tsx';
import { useAction } from '../../parts/use-action.ts';
import { procedures } from '../../procedures.ts';
import { queryKeys } from '../../query-keys.ts';
import { CheckPane, type Marks, noMarks } from './check-pane.tsx';
import { CheckSettings } from './check-settings.tsx';
import styles from './quality.module.css';

type Origin = QualityChecksQuery['origin'];

/** The checks that a member may do, or those that are done, next to the one that is open. */
export function Checks({ origin, isAdmin }: { origin: Origin; isAdmin: boolean }) {
  const t = useT();
  const queries = useQueryClient();
  const [state, setState] = useState<'open' | 'done'>('open');
  const [chosen, setChosen] = useState<string>();
  // Marks that are not sent yet, by check: they stay if another row is opened.
  const [marks, setMarks] = useState<Record<string, Marks>>({});
  const page = useQuery({
    queryKey: queryKeys.quality.checks(origin, state),
    queryFn: () => procedures.quality.checks.query({ origin, state, limit: 100 }),
  });
  const list = page.data?.checks ?? [];
  const shown = list.find(({ check_id }) => check_id === chosen) ?? list[0];
  const next = (shown && list[list.indexOf(shown) + 1]) ?? list[0];
  // The open row stays, even if another member finishes a row above it.
  if (shown && shown.check_id !== chosen) setChosen(shown.check_id);
  const done = async () => {
    setChosen(next?.check_id);
    await queries.invalidateQueries({ queryKey: queryKeys.quality.all });
  };
  return (
    <>
      <Row gap={4} align="end" justify="space-between">
        <Segments
          label={t('quality.which')}
          value={state}
          options={(['open', 'done'] as const).map((value) => [value, t(`quality.checks_${value}`)])}
          onChange={setState}
        />
        {isAdmin && <Draw origin={origin} />}
      </Row>
      <Read from={page} lines={10}>
        {() =>
          shown ? (
            <div className="list-details">
              <CheckList checks={list} shown={shown} onOpen={setChosen} />
              <CheckPane
                key={shown.check_id}
                checkId={shown.check_id}
                marks={marks[shown.check_id] ?? noMarks}
                onMarks={(changed) => setMarks({ ...marks, [shown.check_id]: changed })}
                onDone={done}
              />
            </div>
          ) : (
            <p className="notice">{t(state === 'open' ? `quality.none_${origin}` : 'quality.none_done')}</p>
          )
        }
      </Read>
      {isAdmin && <CheckSettings origin={origin} />}
    </>
  );
}

function CheckList({
  checks,
  shown,
  onOpen,
}: {
  checks: readonly QualityCheckSummary[];
  shown: QualityCheckSummary;
  onOpen: (checkId: string) => void;
}) {
  const t = useT();
  const { utcDay } = useFormat();
  const { nameOf } = useLanguages();
  return (
    <ul className={styles['list']} aria-label={t('quality.texts')}>
      {checks.map((one) => (
        <li key={one.check_id}>
          <button
            type="button"
            aria-current={one === shown || undefined}
            onClick={() => onOpen(one.check_id)}
          >
            <bdi lang={one.source_lang}>{one.source_text}</bdi>
            <small>
              {[
                one.name ?? t('quality.text'),
                utcDay(one.day),
                one.verdict && t(`quality.verdict_${one.verdict}`),
              ]
                .filter(Boolean)
                .join(' · ')}
            </small>
            <span className={styles['language']}>
              <Badge>{nameOf(one.target_lang)}</Badge>
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}

/** Draws texts at random. */
function Draw({ origin }: { origin: Origin }) {
  const t = useT();
  const queries = useQueryClient();
  const { run, error, isBusy } = useAction();
  const [language, setLanguage] = useState('');
  const [count, setCount] = useState('25');
  const draw = run(async () => {
    const { drawn } = await procedures.quality.draw.mutate({
      ...{ origin, target_lang: language, count: Number(count) },
    });
    announce(t('quality.drawn', { texts: drawn }));
    await queries.invalidateQueries({ queryKey: queryKeys.quality.all });
  });
  return (
    <Row as="form" gap={4} align="end" onSubmit={draw}>
      <LanguageSelect
        label={t('quality.language')}
        first={{ value: '', name: t('quality.choose') }}
        value={language}
        onChange={setLanguage}
      />
      <Field
        label={t('quality.count')}
        type="number"
        min={1}
        max={200}
        required
        style={{ inlineSize: '6rem' }}
        value={count}
        onValue={setCount}
      />
      <button type="submit" disabled={language === ''} aria-busy={isBusy}>
        {t(`quality.draw_${origin}`)}
      </button>
      {error ? <Problem error={error} /> : null}
    </Row>
  );
}
