import { ArrowLeft } from 'lucide-react';
import { useState } from 'react';
import { deployment } from '../../deployment.ts';
import { useT } from '../../i18n.tsx';
import { Stack } from '../../kit/box.tsx';
import { Flaw, Text } from '../../kit/text.tsx';
import { announce } from '../../parts/announcer.tsx';
import { detected } from '../../parts/source-language.tsx';
import { lengthOf, weightOf } from '../../parts/text-measure.ts';
import { translationService } from '../../translation-service.ts';
import { type BatchItem, BatchResults, batchRequest, itemsOf } from './batch-results.tsx';
import { BatchTexts, isTooLong, type useBatchTexts } from './batch-texts.tsx';
import { OpenLanguage } from './open-language.tsx';
import type { Options } from './options.ts';
import { Panes } from './panes.tsx';
import type { LanguageChoiceProps } from './search.ts';
import type { SentRecords } from './sent-record.ts';
import { isDone, type Sending } from './series.ts';
import { SourceLanguages } from './source-languages.tsx';
import { TargetChips } from './target-chips.tsx';
import { useSeries } from './use-series.ts';
import { Weight, WeightOfDetected } from './weight.tsx';

/** A batch as it was sent; later changes of the form do not change it. */
interface SentBatch {
  items: BatchItem[];
  source: string;
  options: Options;
}

/**
 * Translates several texts into several languages in one batch. The texts are translated one after the other. If the
 * allowance is too small for the whole batch, nothing is translated.
 * @param onBack returns to a single text
 */
export function BatchTranslation({
  from,
  to,
  choose,
  typed: { fill: _, ...typed },
  options,
  sent: records,
  onBack,
}: LanguageChoiceProps & {
  typed: ReturnType<typeof useBatchTexts>;
  options: Options;
  sent: SentRecords;
  onBack: () => void;
}) {
  const t = useT();
  const [sent, setSent] = useState(() => sentBefore(records, options));
  const [wasSent, setWasSent] = useState(false);
  const texts = typed.rows.map(({ text }) => text).filter((text) => text.trim() !== '');
  const count = texts.length * to.length;
  const isTooMany = count > deployment.maxBatchItems;
  const { view, start, resume, leaveOut, again } = useBatchSeries(records, sent, setSent);
  const isBusy = view.state === 'running';

  const submit = async () => {
    setWasSent(true);
    if (isBusy || texts.length === 0 || to.length === 0 || isTooMany || texts.some(isTooLong)) return;
    await start({ items: itemsOf(texts, to), source: from, options });
  };

  return (
    <Panes
      onSubmit={() => void submit()}
      isBusy={isBusy}
      source={
        <>
          <SourceLanguages from={from} onChange={(code) => choose({ from: code })} />
          <Stack pad={5} gap={4} isFilling>
            <OpenLanguage error={view.error} from={from} onChoose={(code) => choose({ from: code })} />
            <BatchTexts {...typed} language={from} isMissing={wasSent && texts.length === 0} />
            <TargetChips codes={to} onChange={(codes) => choose({ to: codes })} />
            <Stack gap={1}>
              {wasSent && to.length === 0 && <Flaw>{t('translate.no_language')}</Flaw>}
              <Text as="p" size="sm" tone={isTooMany ? 'crit' : 'soft'}>
                {t('translate.items', { count, most: deployment.maxBatchItems })}
              </Text>
              {from === detected ? (
                count > 0 && <WeightOfDetected />
              ) : (
                <Weight
                  weights={itemsOf(texts, to).map(({ text, target }) =>
                    weightOf(lengthOf(text), from, target),
                  )}
                />
              )}
            </Stack>
          </Stack>
        </>
      }
      way={
        <button type="button" className="plain" onClick={onBack}>
          <ArrowLeft size={14} aria-hidden className="mirrored" />
          {t('translate.one_text')}
        </button>
      }
      results={
        <BatchResults
          items={sent.items}
          source={sent.source}
          view={view}
          resume={resume}
          leaveOut={leaveOut}
          again={again}
        />
      }
    />
  );
}

/** The batch that was sent before a reload. Its texts appear with their jobs. */
function sentBefore(records: SentRecords, options: Options): SentBatch {
  const { batch } = records.read();
  const unknown: BatchItem = { text: '…', target: '' };
  return { items: Array<BatchItem>(batch?.count ?? 0).fill(unknown), source: detected, options };
}

/** The series of the batch that was sent last, also after a reload. */
function useBatchSeries(records: SentRecords, sent: SentBatch, setSent: (sent: SentBatch) => void) {
  const t = useT();
  const { keys } = records;
  const { series, ...view } = useSeries((created) => {
    const { batch } = records.read();
    if (batch) created.follow({ key: batch.key, first: 0 }, batch.count);
  });
  /** @param places the indices of the items to send, in ascending order */
  const sendingOf = ({ items, source, options }: SentBatch, places: number[]): Sending => {
    const request = batchRequest(
      places.flatMap((place) => items[place] ?? []),
      source,
      options,
    );
    return {
      key: keys.keyOf(request),
      first: 0,
      places,
      send: (key) => keys.settle(request, translationService.createBatch(request, { idempotencyKey: key })),
    };
  };
  const finish = (isComplete: boolean) =>
    announce(t(isComplete ? 'translate.batch_done' : 'translate.batch_stopped'));
  return {
    view,
    async start(batch: SentBatch) {
      setSent(batch);
      const sending = sendingOf(batch, [...batch.items.keys()]);
      records.change(() => ({ batch: { key: sending.key, count: batch.items.length } }));
      finish(await series.start(sending));
    },
    resume: async () => finish(await series.resume()),
    /** Continues without the failed item. */
    async leaveOut(place: number) {
      const rest = view.places?.filter((one) => one !== place && !isDone(view.jobs.get(one)?.status));
      if (rest?.length) finish(await series.goOn(sendingOf(sent, rest)));
    },
    again: async (place: number) => finish(await series.goOn(sendingOf(sent, [place]))),
  };
}
