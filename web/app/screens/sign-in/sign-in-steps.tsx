import { useState } from 'react';
import type { MfaChallenge, Workspace } from '#sdk/types.ts';
import { useT } from '../../i18n.tsx';
import { Field } from '../../kit/field.tsx';
import { Problem } from '../../parts/problem.tsx';
import { ShownOnce } from '../../parts/shown-once.tsx';
import { useAction } from '../../parts/use-action.ts';
import { forgetArrival } from '../../session/arrival.ts';
import { begin } from '../../session/keeper.ts';
import { signInRequest } from '../../session/sign-in-request.ts';
import { Enrolment } from './enrolment.tsx';
import type { ChooseWorkspace } from './password-form.tsx';
import { RecoveryCodes, UntilKept } from './recovery-codes.tsx';
import { StepHeading } from './step-heading.tsx';
import { type SignInAnswer, type Step, stepAfter } from './steps.ts';

/** The state of a sign-in after its first form. `advance` determines the next step from the service's response. */
export function useSignInSteps() {
  const [step, setStep] = useState<Step>();
  const [choose, setChoose] = useState<ChooseWorkspace>();
  const go = (next: Step) => {
    if (next.kind !== 'end') return setStep(next);
    setStep(undefined);
    begin(next.issued);
    forgetArrival();
  };
  return {
    /** Undefined while the first form is shown. */
    step,
    choose,
    go,
    advance(answer: SignInAnswer, byWorkspace?: ChooseWorkspace) {
      if (byWorkspace) setChoose(() => byWorkspace);
      go(stepAfter(answer));
    },
    restart: () => setStep(undefined),
  };
}

/** Shows the current step of a sign-in: select a workspace, enter a code, set up an authenticator, save secrets. */
export function SignInSteps({ steps }: { steps: ReturnType<typeof useSignInSteps> & { step: Step } }) {
  const t = useT();
  const { step, go, advance, choose, restart } = steps;
  const back = (
    <button type="button" className="plain" onClick={restart}>
      {t('signin.restart')}
    </button>
  );
  switch (step.kind) {
    case 'workspace':
      return (
        <>
          <WorkspaceChoice
            tenants={step.tenants}
            choose={async (tenantId) => choose && advance(await choose(tenantId))}
          />
          {back}
        </>
      );
    case 'code':
      return (
        <>
          <CodeForm challenge={step.challenge} onAnswer={advance} />
          {back}
        </>
      );
    case 'enrolment':
      return (
        <>
          <StepHeading focus>{t('signin.enrol_title')}</StepHeading>
          <p>{t('signin.enrol_why')}</p>
          <Enrolment challengeId={step.challenge.challenge_id} onEnrolled={advance} />
          {back}
        </>
      );
    case 'api_key':
      return (
        <>
          <StepHeading>{t('signin.key_title')}</StepHeading>
          <p>{t('signin.key_why')}</p>
          <UntilKept words={t('signin.key_kept')} onKept={() => go(step.then)}>
            <ShownOnce label={t('signin.key_label')} value={step.apiKey} />
          </UntilKept>
        </>
      );
    case 'recovery_codes':
      return (
        <>
          <StepHeading focus>{t('signin.codes_title')}</StepHeading>
          <RecoveryCodes codes={step.codes} onKept={() => go(step.then)} />
        </>
      );
    case 'end':
      return null;
  }
}

/** Asks for a workspace: one email address and password, or one identity, may belong to several workspaces. */
function WorkspaceChoice({
  tenants,
  choose,
}: {
  tenants: Workspace[];
  choose(tenantId: string): Promise<void>;
}) {
  const t = useT();
  const { run, error, isBusy } = useAction();
  return (
    <>
      <StepHeading focus>{t('signin.choose_workspace')}</StepHeading>
      {error !== undefined && <Problem error={error} />}
      <ul className="choices">
        {tenants.map(({ tenant_id, tenant_name }) => (
          <li key={tenant_id}>
            <button type="button" aria-disabled={isBusy} onClick={run(() => choose(tenant_id))}>
              <bdi>{tenant_name}</bdi>
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

/** Asks for an authenticator code or a recovery code. */
function CodeForm({
  challenge,
  onAnswer,
}: {
  challenge: MfaChallenge;
  onAnswer(answer: SignInAnswer): void;
}) {
  const t = useT();
  const { run, error, isBusy } = useAction();
  const [code, setCode] = useState('');

  const verify = async () => {
    setCode('');
    const body = { challenge_id: challenge.challenge_id, mfa_code: code.trim() };
    const outcome = await signInRequest<SignInAnswer>('mfa/verify', body);
    if (!outcome.ok) throw outcome.error;
    onAnswer(outcome.body);
  };

  return (
    <form onSubmit={run(verify)}>
      <StepHeading>{t('signin.code_title')}</StepHeading>
      {error !== undefined && <Problem error={error} />}
      <Field
        label={t('signin.code')}
        hint={t('signin.code_hint')}
        name="code"
        autoComplete="one-time-code"
        autoCapitalize="off"
        spellCheck={false}
        required
        autoFocus
        value={code}
        onValue={setCode}
      />
      <button type="submit" className="primary" aria-disabled={isBusy}>
        {t('signin.submit')}
      </button>
    </form>
  );
}
