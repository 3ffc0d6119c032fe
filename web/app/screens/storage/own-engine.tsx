import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { engines } from '#sdk/engines.ts';
import type { EngineRequest, EngineTest, WorkspaceEngine } from '#sdk/types.ts';
import { bound } from '../../client.ts';
import { useT } from '../../i18n.tsx';
import { ConfirmDialog } from '../../kit/dialog.tsx';
import { Field } from '../../kit/field.tsx';
import { Form } from '../../kit/form.tsx';
import { Select } from '../../kit/select.tsx';
import { Switch } from '../../kit/switch.tsx';
import { announce } from '../../parts/announcer.tsx';
import { useFormat } from '../../parts/format.ts';
import { Read } from '../../parts/loading.tsx';
import { isConflict, SaveProblem, Setting } from '../../parts/setting.tsx';
import { useAction } from '../../parts/use-action.ts';
import { queryKeys } from '../../query-keys.ts';
import { proved } from '../../session/proof.ts';

type Kind = EngineRequest['kind'];

const names: Readonly<Record<Kind, string>> = {
  deepl: 'DeepL',
  azure: 'Azure Translator',
  google: 'Google Cloud Translation',
  openai: 'OpenAI',
  anthropic: 'Anthropic',
};
const kinds = Object.keys(names) as Kind[];

/** The engine that the workspace uses with its own key. */
export function OwnEngine() {
  const t = useT();
  const queries = useQueryClient();
  const { day } = useFormat();
  const reading = useQuery({ queryKey: queryKeys.engine, queryFn: () => bound(engines).get() });
  const [removed, setRemoved] = useState<WorkspaceEngine>();
  const changed = (next: WorkspaceEngine) => queries.setQueryData(queryKeys.engine, next);
  return (
    <Setting id="engine" title={t('storage.engine')} why={t('storage.engine_why')}>
      <Read from={reading} lines={6}>
        {(engine) => (
          <>
            <p>
              {engine.kind
                ? t('storage.engine_used', {
                    name: names[engine.kind],
                    end: engine.key_end ?? '',
                    when: engine.key_set_at ? day(engine.key_set_at) : '',
                  })
                : t('storage.engine_none')}
            </p>
            {engine.kind && (
              <div className="actions">
                <button type="button" className="danger" onClick={() => setRemoved(engine)}>
                  {t('storage.engine_remove')}
                </button>
              </div>
            )}
            <EngineForm
              // After a change, the form starts again with the stored values.
              key={engine.updated_at}
              engine={engine}
              onSaved={changed}
            />
          </>
        )}
      </Read>
      {removed && (
        <ConfirmDialog
          title={t('storage.engine_remove')}
          action={t('storage.engine_remove')}
          onClose={() => setRemoved(undefined)}
          onConfirm={async () => {
            changed(await proved(() => bound(engines).remove({ updated_at: removed.updated_at })));
            announce(t('storage.engine_removed'));
          }}
        >
          <p>{t('storage.engine_remove_why')}</p>
        </ConfirmDialog>
      )}
    </Setting>
  );
}

/** The values that the member enters; at first, the stored ones. */
function draftOf({ kind, region, model, refiner_model, concurrency, fallback }: WorkspaceEngine) {
  return {
    ...{ kind: kind ?? ('deepl' as const), key: '', region: region ?? '', model: model ?? '' },
    ...{ refiner: refiner_model ?? '', concurrency: String(concurrency ?? 8), fallback: fallback ?? false },
  };
}

type Draft = ReturnType<typeof draftOf>;
/** The value of a text field, and how to change it. */
type TextField = (name: Exclude<keyof Draft, 'kind' | 'fallback'>) => {
  value: string;
  onValue: (value: string) => void;
};

/** The engine of a draft, as in a request. Fields that its kind does not have are left out. */
function engineOf({ kind, key, region, model, refiner }: Draft) {
  const ofModel = isModel(kind);
  return {
    kind,
    ...(key.trim() !== '' && { api_key: key.trim() }),
    ...(kind === 'azure' && region.trim() !== '' && { region: region.trim() }),
    ...(ofModel && { model: model.trim() }),
    ...(ofModel && refiner.trim() !== '' && { refiner_model: refiner.trim() }),
  };
}

const isModel = (kind: Kind) => kind === 'openai' || kind === 'anthropic';

function EngineForm({
  engine,
  onSaved,
}: {
  engine: WorkspaceEngine;
  onSaved: (next: WorkspaceEngine) => void;
}) {
  const t = useT();
  const [draft, setDraft] = useState(() => draftOf(engine));
  const change = (part: Partial<Draft>) => setDraft((before) => ({ ...before, ...part }));
  const field: TextField = (name) => ({
    value: draft[name],
    onValue: (value) => change({ [name]: value }),
  });
  const [tested, setTested] = useState<EngineTest>();
  const [read, setRead] = useState(engine.updated_at);
  const { run, ...tests } = useAction();
  const { kind, key, fallback } = draft;
  const keepsKey = kind === engine.kind;
  const save = async () => {
    setTested(undefined);
    const request = {
      ...engineOf(draft),
      concurrency: Number(draft.concurrency),
      fallback,
      updated_at: read,
    };
    try {
      const next = await proved(() => bound(engines).save(request));
      change({ key: '' });
      onSaved(next);
      announce(t('storage.engine_saved'));
    } catch (thrown) {
      if (isConflict(thrown)) setRead((await bound(engines).get()).updated_at);
      throw thrown;
    }
  };
  const test = run(async () => {
    setTested(undefined);
    setTested(await bound(engines).test(engineOf(draft)));
  });
  return (
    <details open={engine.kind !== null || undefined}>
      <summary className="button">{t(engine.kind ? 'storage.engine_change' : 'storage.engine_set')}</summary>
      <Form
        action={t('common.save')}
        onSubmit={save}
        problem={(error) => <SaveProblem error={error} />}
        others={
          <button type="button" aria-disabled={tests.isBusy} disabled={!keepsKey && !key} onClick={test}>
            {t('storage.engine_test')}
          </button>
        }
      >
        <Select
          label={t('storage.engine_kind')}
          value={kind}
          options={kinds.map((one) => ({ value: one, name: names[one] }))}
          onChange={(one) => change({ kind: one })}
        />
        <Field
          label={t('storage.engine_key')}
          hint={t(keepsKey ? 'storage.engine_key_kept' : 'storage.secret_hint')}
          type="password"
          autoComplete="off"
          dir="ltr"
          required={!keepsKey}
          minLength={16}
          {...field('key')}
        />
        <KindFields kind={kind} field={field} />
        <p className="hint">{t(isModel(kind) ? 'storage.engine_judges' : 'storage.engine_judged')}</p>
        <Field
          label={t('storage.engine_concurrency')}
          hint={t('storage.engine_concurrency_hint')}
          type="number"
          min={1}
          max={64}
          required
          {...field('concurrency')}
        />
        <Switch
          label={t('storage.engine_fallback')}
          hint={t('storage.engine_fallback_hint')}
          isOn={fallback}
          onChange={(isOn) => change({ fallback: isOn })}
        />
        {tests.error ? <SaveProblem error={tests.error} /> : null}
        <div role="status">{tested && <TestResult of={tested} />}</div>
      </Form>
    </details>
  );
}

/** The fields that engines of some kinds have. */
function KindFields({ kind, field }: { kind: Kind; field: TextField }) {
  const t = useT();
  if (kind === 'azure')
    return (
      <Field
        label={t('storage.engine_region')}
        hint={t('storage.engine_region_hint')}
        dir="ltr"
        placeholder="westeurope"
        {...field('region')}
      />
    );
  if (!isModel(kind)) return null;
  return (
    <>
      <Field label={t('storage.engine_model')} dir="ltr" required {...field('model')} />
      <Field
        label={t('storage.engine_refiner')}
        hint={t('storage.engine_refiner_hint')}
        dir="ltr"
        {...field('refiner')}
      />
    </>
  );
}

function TestResult({ of: { result, translation } }: { of: EngineTest }) {
  const t = useT();
  if (result !== 'ok') return <p className="problem">{t(`storage.engine_${result}`)}</p>;
  return <p className="notice">{t('storage.engine_works', { translation: translation ?? '' })}</p>;
}
