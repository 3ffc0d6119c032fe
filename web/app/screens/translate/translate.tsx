import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { SlidersHorizontal } from 'lucide-react';
import { useEffect, useEffectEvent, useId, useRef, useState, useSyncExternalStore } from 'react';
import { client } from '../../client.ts';
import { deployment } from '../../deployment.ts';
import { type MessageId, useT } from '../../i18n.tsx';
import { Card } from '../../kit/card.tsx';
import { Badge, Text } from '../../kit/text.tsx';
import { announce } from '../../parts/announcer.tsx';
import { useFormat } from '../../parts/format.ts';
import { leftOf } from '../../parts/left-of.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { PlanLink } from '../../parts/plan-link.tsx';
import { detected } from '../../parts/source-language.tsx';
import { allExcept, queryKeys } from '../../query-keys.ts';
import { useCoverage } from '../../session/use-coverage.ts';
import { isAdministrator, useMe } from '../../session/use-me.ts';
import { useSession } from '../../session/use-session.ts';
import { translationService } from '../../translation-service.ts';
import { useDefaultLanguages } from '../general/default-languages.ts';
import { linesOf, useBatchTexts } from './batch-texts.tsx';
import { BatchTranslation } from './batch-translation.tsx';
import { FileDrop, useFileDropping } from './file-drop.tsx';
import { FileQueue } from './file-queue.ts';
import { countSet, noOptions } from './options.ts';
import { OptionsDrawer, offeredFor } from './options-drawer.tsx';
import type { LanguageChoiceProps, TranslateKind } from './search.ts';
import { SentRecords } from './sent-record.ts';
import { TextTranslation } from './text-translation.tsx';
import styles from './translate.module.css';
import { useSeriesPolling } from './use-series.ts';
import { Cost } from './weight.tsx';

/**
 * `/app/translate`: translates a text, a batch of texts, or files. The URL contains the languages, but never the text.
 */
export function TranslateScreen() {
  const session = useSession();
  // The frame shows no screen without a session.
  return 'tokens' in session ? <Translate userId={session.tokens.user.user_id} /> : null;
}

function Translate({ userId }: { userId: string }) {
  const t = useT();
  const { kind, ...choice } = useChoice();
  const { from, to, choose } = choice;
  const [records] = useState(() => new SentRecords(userId));
  const [wasBatch, setWasBatch] = useState(false);
  const [options, setOptions] = useState(noOptions);
  const [isOpen, setOpen] = useState(false);
  const [text, setText] = useState('');
  const typed = useBatchTexts();
  const { queue, files } = useFileQueue(records);
  const coverage = useCoverage();
  const isFileCovered = coverage === undefined || coverage === 'all';
  const dropping = useFileDropping((dropped) => {
    if (isFileCovered) queue.add(dropped);
    else announce(t('translate.files_need_plan'));
  });
  const drawer = useId();
  if (kind === 'batch' && !wasBatch) setWasBatch(true);
  const split = () => {
    const lines = linesOf(text);
    if (lines.length > 1) typed.fill(lines);
    choose({ kind: 'batch' });
  };
  return (
    <div {...dropping.handlers}>
      <title>{`${t('translate.title')} · LinguaLoop`}</title>
      <PageHead title={t('translate.title')} aside={<Kinds kind={kind} />}>
        {coverage !== 'none' && <Remaining />}
        <OptionsButton
          drawer={drawer}
          isOpen={isOpen}
          count={countSet(options, offeredFor[kind])}
          onClick={() => setOpen(!isOpen)}
        />
      </PageHead>
      <div className={styles.body} data-dropping={(isFileCovered && dropping.isOver) || undefined}>
        <div className={styles.work}>
          <Notices hasNoPlan={coverage === 'none'} />
          {/* Each way to translate stays mounted, so that a text is not lost. */}
          <div hidden={kind !== 'text'}>
            <TextTranslation
              {...choice}
              takesFiles={isFileCovered}
              text={text}
              options={options}
              onText={setText}
              onSplit={split}
            />
          </div>
          {wasBatch && (
            <div hidden={kind !== 'batch'}>
              <BatchTranslation
                {...choice}
                typed={typed}
                options={options}
                sent={records}
                onBack={() => choose({ kind: 'text' })}
              />
            </div>
          )}
          {kind !== 'batch' && (
            <FileDrop
              {...choice}
              queue={queue}
              files={files}
              options={options}
              isAlone={kind === 'file'}
              coverage={coverage}
            />
          )}
        </div>
        <OptionsDrawer
          id={drawer}
          kind={kind}
          isOpen={isOpen}
          options={options}
          from={from}
          to={to}
          onChange={setOptions}
          onClose={() => setOpen(false)}
        >
          <Cost
            texts={kind === 'batch' ? typed.rows.map((row) => row.text) : kind === 'text' ? [text] : []}
            from={from}
            to={to}
          />
        </OptionsDrawer>
      </div>
    </div>
  );
}

/** The way to translate and the languages, which the URL contains. At first, the languages are those of the workspace. */
function useChoice(): LanguageChoiceProps & { kind: TranslateKind; choose: (change: object) => void } {
  const navigate = useNavigate();
  const search = useSearch({ from: '/workspace/app/translate' });
  const { kind = 'text', from = detected, to = [] } = search;
  const choose = (change: object) =>
    void navigate({
      to: '/app/translate',
      search: { ...search, ...change },
      replace: true,
      resetScroll: false,
    });
  const defaults = useDefaultLanguages();
  const isPreset = useRef(false);
  // Once, so that the member can also remove all languages.
  const preset = useEffectEvent(() => {
    if (!defaults || isPreset.current) return;
    isPreset.current = true;
    if (!search.from && !search.to) choose({ from: defaults.source ?? undefined, to: defaults.targets });
  });
  const isKnown = defaults !== undefined;
  useEffect(() => {
    if (isKnown) preset();
  }, [isKnown]);
  return { kind, from, to, choose };
}

/** The limits of translations in this deployment or workspace. */
function Notices({ hasNoPlan }: { hasNoPlan: boolean }) {
  const t = useT();
  return (
    <>
      {!deployment.liveEngine && (
        <Card role="note" tone="hint" pad={3}>
          <Text size="sm">{t('translate.stub')}</Text>
        </Card>
      )}
      {hasNoPlan && (
        <Card role="note" tone="hint" pad={3}>
          <Text size="sm">
            {t('translate.needs_plan')} <PlanLink />
          </Text>
        </Card>
      )}
    </>
  );
}

/** The files of the screen; the component is rendered again when they change. */
function useFileQueue(sent: SentRecords) {
  const t = useT();
  const queries = useQueryClient();
  const [queue] = useState(
    () => new FileQueue({ ...client, translations: translationService }, sent, deployment.maxUploadBytes),
  );
  const files = useSyncExternalStore(queue.subscribe, () => queue.files);
  useEffect(() => {
    void queue.restore();
  }, [queue]);
  useEffect(() => {
    queue.onEnd = (isDone, keepsLayout) => {
      if (isDone) announce(t(keepsLayout ? 'translate.document_queued' : 'translate.file_done'));
      void queries.invalidateQueries(allExcept(queryKeys.jobs.all, queryKeys.jobs.allSeries));
      void queries.invalidateQueries({ queryKey: queryKeys.documents.all });
    };
  }, [queue, queries, t]);
  useSeriesPolling(files.flatMap(({ tasks }) => tasks.flatMap(({ series }) => series ?? [])));
  return { queue, files };
}

const kinds: readonly [kind: TranslateKind, name: MessageId][] = [
  ['text', 'translate.text'],
  ['file', 'translate.files'],
];

/** Links to the ways to translate. A batch belongs to the texts. */
function Kinds({ kind }: { kind: TranslateKind }) {
  const t = useT();
  const search = useSearch({ from: '/workspace/app/translate' });
  const current = kind === 'file' ? 'file' : 'text';
  return (
    <nav aria-label={t('translate.what')} className="segmented">
      {kinds.map(([one, name]) => (
        <Link
          key={one}
          to="/app/translate"
          search={{ ...search, kind: one }}
          aria-current={one === current ? 'page' : undefined}
        >
          {t(name)}
        </Link>
      ))}
    </nav>
  );
}

function OptionsButton({
  drawer,
  isOpen,
  count,
  onClick,
}: {
  drawer: string;
  isOpen: boolean;
  count: number;
  onClick: () => void;
}) {
  const t = useT();
  return (
    <button
      type="button"
      aria-pressed={isOpen}
      aria-expanded={isOpen}
      aria-controls={drawer}
      onClick={onClick}
    >
      <SlidersHorizontal size={16} aria-hidden />
      {t('translate.options')}
      {count > 0 && <Badge>{t('translate.options_set', { count })}</Badge>}
    </button>
  );
}

/** The remaining characters of the workspace, for administrators. If they cannot be loaded, nothing is shown. */
function Remaining() {
  const t = useT();
  const { number } = useFormat();
  const { data: me } = useMe();
  const isAdmin = me !== undefined && isAdministrator(me);
  const tenantId = me?.tenant.id ?? '';
  const { data } = useQuery({
    queryKey: queryKeys.usage.summary(tenantId),
    queryFn: () => client.usage.summary(tenantId, { limit: 1 }),
    enabled: isAdmin,
  });
  if (!data) return null;
  const { left, limit } = leftOf(data);
  return (
    <Text size="sm" tone="faint" isNumeric>
      {t('translate.left', { left: number(left), limit: number(limit) })}
    </Text>
  );
}
