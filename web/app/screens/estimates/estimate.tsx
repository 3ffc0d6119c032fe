import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { FileSpreadsheet, Trash2 } from 'lucide-react';
import { useEffect, useState } from 'react';
import { analyses } from '#sdk/analyses.ts';
import { LinguaLoopError } from '#sdk/errors.ts';
import type { Analysis } from '#sdk/types.ts';
import { bound } from '../../client.ts';
import { useInterface, useT } from '../../i18n.tsx';
import { ActionButton } from '../../kit/action-button.tsx';
import { Grid, Row, Stack } from '../../kit/box.tsx';
import { Card } from '../../kit/card.tsx';
import { IconButton } from '../../kit/icon-button.tsx';
import { Segments } from '../../kit/segments.tsx';
import { Text } from '../../kit/text.tsx';
import { announce } from '../../parts/announcer.tsx';
import { useFormat } from '../../parts/format.ts';
import { Read } from '../../parts/loading.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { PlanLink } from '../../parts/plan-link.tsx';
import { Problem } from '../../parts/problem.tsx';
import { saveFile } from '../../parts/save-file.ts';
import { useAction } from '../../parts/use-action.ts';
import { queryClient } from '../../query-client.ts';
import { AddFiles } from './add-files.tsx';
import { partName, partsOf, placesOf, type Unit, units } from './counts.ts';
import { EstimateTable, PartsBar } from './estimate-table.tsx';
import styles from './estimates.module.css';
import { DeleteEstimate } from './estimates.tsx';
import { ResultTable } from './result-table.tsx';
import { estimateKeys, keep, useUploads } from './uploads.ts';

/** `/app/estimates/…`: the counts of files in languages and, after the start, what has become of each. */
export function EstimateScreen() {
  const t = useT();
  const navigate = useNavigate();
  const { estimateId } = useParams({ from: '/workspace/app/estimates/$estimateId' });
  const [isDeleting, setDeleting] = useState(false);
  const reading = useQuery({
    queryKey: estimateKeys.one(estimateId),
    queryFn: () => bound(analyses).get(estimateId),
    refetchInterval: ({ state: { data, dataUpdateCount } }) =>
      data && (data.status === 'analyzing' || data.documents.requested > 0)
        ? Math.min(1000 + 100 * dataUpdateCount, 5000)
        : false,
  });
  const excel = async () => {
    const { fileName, content } = await bound(analyses).exportXlsx(estimateId);
    await saveFile({ fileName, body: content });
  };
  return (
    <>
      <title>{`${t('estimates.one')} · LinguaLoop`}</title>
      <PageHead title={t('estimates.one')} aside={<Link to="/app/estimates">{t('estimates.title')}</Link>}>
        <ActionButton disabled={!reading.data} onRun={excel}>
          <FileSpreadsheet size={16} aria-hidden /> {t('estimates.excel')}
        </ActionButton>
        <IconButton label={t('estimates.delete')} onClick={() => setDeleting(true)}>
          <Trash2 size={16} aria-hidden />
        </IconButton>
      </PageHead>
      <Read from={reading} lines={12}>
        {(estimate) => <Estimate estimate={estimate} />}
      </Read>
      {isDeleting && (
        <DeleteEstimate
          id={estimateId}
          onDeleted={() => {
            queryClient.removeQueries({ queryKey: estimateKeys.one(estimateId) });
            void navigate({ to: '/app/estimates' });
          }}
          onClose={() => setDeleting(false)}
        />
      )}
    </>
  );
}

function Estimate({ estimate }: { estimate: Analysis }) {
  const t = useT();
  const { run, error, isBusy } = useAction();
  const [unit, setUnit] = useState<Unit>('words');
  const [leftOut, setLeftOut] = useState<ReadonlySet<string>>(new Set());
  const places = placesOf(estimate, leftOut);
  const fitting = [...places].filter(([key, { covered }]) => !leftOut.has(key) && covered !== 'beyond');
  const isStarted = estimate.started_at !== null;
  const start = run(async () => {
    const only = fitting.map(([, { file, cell }]) => ({ file_id: file.id, target_lang: cell.target_lang }));
    if (only.length === 0) return;
    keep(await bound(analyses).start(estimate.id, { only }));
    announce(t('estimates.sent', { count: only.length }));
  });
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      // A dialog has its own action.
      if (document.querySelector('dialog[open]')) return;
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void start();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  });
  return (
    <Stack gap={4}>
      {isStarted ? (
        <ResultTable estimate={estimate} />
      ) : (
        <>
          <Summary estimate={estimate} unit={unit} onUnit={setUnit} />
          {estimate.files.some(({ state }) => state !== 'refused') && (
            <EstimateTable
              estimate={estimate}
              unit={unit}
              places={places}
              leftOut={leftOut}
              onSelect={(keys, isSelected) =>
                setLeftOut(
                  (before) =>
                    new Set(
                      isSelected ? [...before].filter((key) => !keys.includes(key)) : [...before, ...keys],
                    ),
                )
              }
            />
          )}
        </>
      )}
      <AddFiles estimate={estimate} />
      {(!isStarted || places.size > 0) && (
        <footer className={styles.foot}>
          {error !== undefined && <Problem error={error} retry={() => void start()} />}
          <Progress estimate={estimate} />
          <span className="hint">
            {places.size > 0 && t('estimates.selected', { count: fitting.length, all: places.size })}
          </span>
          <button
            type="button"
            className="primary"
            aria-disabled={isBusy}
            disabled={fitting.length === 0}
            onClick={() => void start()}
          >
            {t(isStarted ? 'estimates.start_more' : 'estimates.start', { count: fitting.length })}
            <kbd>Ctrl ⏎</kbd>
          </button>
        </footer>
      )}
    </Stack>
  );
}

/** What is still uploaded and counted. */
function Progress({ estimate }: { estimate: Analysis }) {
  const t = useT();
  const waiting = useUploads(estimate.id).filter(({ problem }) => !problem).length;
  const { done, all } = estimate.progress;
  const isCounting = estimate.status === 'analyzing';
  const stop = async () => void keep(await bound(analyses).cancel(estimate.id));
  return (
    <Row isFilling role="status">
      {waiting > 0 && <span>{t('estimates.uploading', { count: waiting })}</span>}
      {isCounting && (
        <>
          <progress value={done} max={Math.max(1, all)} aria-label={t('estimates.status_analyzing')} />
          <span>{t('estimates.counting', { done, all })}</span>
          {waiting === 0 && (
            <ActionButton className="small" onRun={stop}>
              {t('estimates.stop')}
            </ActionButton>
          )}
        </>
      )}
    </Row>
  );
}

/** The sums: words, the parts of the texts, and what they use of the allowance. */
function Summary({
  estimate,
  unit,
  onUnit,
}: {
  estimate: Analysis;
  unit: Unit;
  onUnit: (unit: Unit) => void;
}) {
  const t = useT();
  const { number, percent, span } = useFormat();
  const { totals, files, target_langs: languages } = estimate;
  const parts = partsOf(totals);
  const counted = files.filter(({ state }) => state !== 'refused').length;
  const second = files.flatMap((file) => file.languages).filter(({ review }) => review === 'second').length;
  return (
    <Grid as="section" least={16} gap={6} align="start">
      <Stack gap={1}>
        <Text as="h2" size="lg">
          {t('estimates.words', { count: totals.words, shown: number(totals.words) })}
        </Text>
        <p className="hint">
          {t('estimates.size', {
            files: counted,
            languages: languages.length,
            segments: number(totals.segments),
            characters: number(totals.characters),
          })}{' '}
          {totals.seconds !== null &&
            totals.seconds > 0 &&
            t('estimates.time', { time: span(totals.seconds) })}
        </p>
        {second > 0 && <p className="hint">{t('estimates.second_reviews', { count: second })}</p>}
      </Stack>
      <Stack gap={2}>
        <PartsBar parts={parts} counts={totals} unit={unit} isLarge />
        <Row as="ul" gap={3}>
          {parts.map((part) => (
            <Text as="li" key={part.id} size="xs" tone="soft" title={part.why && t(part.why)}>
              <i className={styles.key} data-part={part.id} aria-hidden /> {partName(part, t)}{' '}
              <b>{percent(part.of(totals, unit) / Math.max(1, totals[unit]))}</b>
            </Text>
          ))}
        </Row>
        <Row>
          <Segments
            label={t('estimates.unit')}
            value={unit}
            options={units.map((one) => [one, t(`estimates.unit_${one}`)])}
            onChange={onUnit}
          />
        </Row>
      </Stack>
      <Allowance estimate={estimate} />
    </Grid>
  );
}

/** The use of the allowance, what is missing, and its price. */
function Allowance({ estimate: { totals, allowance, price } }: { estimate: Analysis }) {
  const t = useT();
  const { locale } = useInterface();
  const { number } = useFormat();
  const { refusal, missing, remaining, limit } = allowance;
  const billed = totals.billable_characters;
  return (
    <Stack gap={1}>
      <Text as="h2" size="lg">
        {t('estimates.billed_sum', { count: billed, shown: number(billed) })}
      </Text>
      {refusal ? (
        <Problem error={new LinguaLoopError(refusal)} />
      ) : missing > 0 ? (
        <Card tone="warn" pad={3}>
          <Text as="p" size="sm">
            {t('estimates.missing', { left: number(Math.max(0, remaining)), missing: number(missing) })}{' '}
            {price &&
              t('estimates.price', {
                packs: price.packs,
                characters: number(price.characters),
                amount: new Intl.NumberFormat(locale, { style: 'currency', currency: price.currency }).format(
                  price.amount,
                ),
              })}{' '}
            <PlanLink />
          </Text>
        </Card>
      ) : (
        <p className="hint">
          {t('estimates.covered_all', { left: number(remaining - billed), limit: number(limit) })}
        </p>
      )}
      <p className="hint">{t('estimates.cost_note')}</p>
    </Stack>
  );
}
