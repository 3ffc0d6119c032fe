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

function EngineForm({
  engine,
  onSaved,
}: {
  engine: WorkspaceEngine;
  onSaved: (next: WorkspaceEngine) => void;
}) {
  const t = useT();
  const [kind, setKind] = useState<Kind>(engine.kind ?? 'deepl');
  const [key, setKey] = useState('');
  const [region, setRegion] = useState(engine.region ?? '');
  const [model, setModel] = useState(engine.model ?? '');
  const [refiner, setRefiner] = useState(engine.refiner_model ?? '');
  const [concurrency, setConcurrency] = useState(String(engine.concurrency ?? 8));
  const [fallback, setFallback] = useState(engine.fallback ?? false);
  const [tested, setTested] = useState<EngineTest>();
  const [read, setRead] = useState(engine.updated_at);
  const { run, ...tests } = useAction();
  const isModel = kind === 'openai' || kind === 'anthropic';
  const keepsKey = kind === engine.kind;
  const given = {
    kind,
    ...(key.trim() !== '' && { api_key: key.trim() }),
    ...(kind === 'azure' && region.trim() !== '' && { region: region.trim() }),
    ...(isModel && { model: model.trim() }),
    ...(isModel && refiner.trim() !== '' && { refiner_model: refiner.trim() }),
  };
  const save = async () => {
    setTested(undefined);
    const request = { ...given, concurrency: Number(concurrency), fallback, updated_at: read };
    try {
      const next = await proved(() => bound(engines).save(request));
      setKey('');
      onSaved(next);
      announce(t('storage.engine_saved'));
    } catch (thrown) {
      if (isConflict(thrown)) setRead((await bound(engines).get()).updated_at);
      throw thrown;
    }
  };
  const test = run(async () => {
    setTested(undefined);
    setTested(await bound(engines).test(given));
  });
  return (
    <details open={engine.kind !== null || undefined}>
      <summary className="button">{t(engine.kind ? 'storage.engine_change' : 'storage.engine_set')}</summary>
      <Form
        action={t('common.save')}
        onSubmit={save}
        problem={(error) => <SaveProblem error={error} />}
        others={({ isBusy }) => (
          <button type="button" disabled={isBusy || tests.isBusy || !(keepsKey || key)} onClick={test}>
            {t('storage.engine_test')}
          </button>
        )}
      >
        <Select
          label={t('storage.engine_kind')}
          value={kind}
          options={kinds.map((one) => ({ value: one, name: names[one] }))}
          onChange={setKind}
        />
        <Field
          label={t('storage.engine_key')}
          hint={t(keepsKey ? 'storage.engine_key_kept' : 'storage.secret_hint')}
          type="password"
          autoComplete="off"
          dir="ltr"
          required={!keepsKey}
          minLength={16}
          value={key}
          onValue={setKey}
        />
        {kind === 'azure' && (
          <Field
            label={t('storage.engine_region')}
            hint={t('storage.engine_region_hint')}
            dir="ltr"
            placeholder="westeurope"
            value={region}
            onValue={setRegion}
          />
        )}
        {isModel && (
          <>
            <Field label={t('storage.engine_model')} dir="ltr" required value={model} onValue={setModel} />
            <Field
              label={t('storage.engine_refiner')}
              hint={t('storage.engine_refiner_hint')}
              dir="ltr"
              value={refiner}
              onValue={setRefiner}
            />
          </>
        )}
        <p className="hint">{t(isModel ? 'storage.engine_judges' : 'storage.engine_judged')}</p>
        <Field
          label={t('storage.engine_concurrency')}
          hint={t('storage.engine_concurrency_hint')}
          type="number"
          min={1}
          max={64}
          required
          value={concurrency}
          onValue={setConcurrency}
        />
        <Switch
          label={t('storage.engine_fallback')}
          hint={t('storage.engine_fallback_hint')}
          isOn={fallback}
          isDisabled={false}
          onChange={setFallback}
        />
        {tests.error ? <SaveProblem error={tests.error} /> : null}
        <div role="status">
          {tested && (
            <p className={tested.result === 'ok' ? 'notice' : 'problem'}>
              {tested.result === 'ok'
                ? t('storage.engine_works', { translation: tested.translation ?? '' })
                : t(`storage.engine_${tested.result}`)}
            </p>
          )}
        </div>
      </Form>
    </details>
  );
}
