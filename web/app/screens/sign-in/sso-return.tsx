import { useEffect } from 'react';
import { deployment } from '../../deployment.ts';
import { useT } from '../../i18n.tsx';
import { Loading } from '../../parts/loading.tsx';
import { Problem } from '../../parts/problem.tsx';
import { useAction } from '../../parts/use-action.ts';
import type { Arrival } from '../../session/arrival.ts';
import { signInRequest } from '../../session/sign-in-request.ts';
import { leaveForProvider, readDeparture } from '../../session/sso.ts';
import type { ChooseWorkspace } from './password-form.tsx';
import type { SignInAnswer } from './steps.ts';

/** Completes a single sign-on with the parameters that the identity provider added to the URL. */
export function SsoReturn({
  arrival: { code, state },
  onAnswer,
  restart,
}: {
  arrival: Extract<Arrival, { kind: 'sso' }>;
  onAnswer(answer: SignInAnswer, choose: ChooseWorkspace): void;
  restart(): void;
}) {
  const t = useT();
  const { run, error } = useAction();
  const complete = run(async () => {
    if (code === null) return;
    const body = { provider: deployment.ssoProvider, code, state };
    const outcome = await signInRequest<SignInAnswer>('sso/callback', body);
    if (!outcome.ok) throw outcome.error;
    // A state can only be used once. After a workspace is selected, the browser is therefore redirected to the provider
    // again, which then does not ask for a sign-in.
    onAnswer(outcome.body, async (tenantId) => {
      await leaveForProvider({ tenantId }, readDeparture());
      return new Promise<never>(() => {});
    });
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, as a code and a state are good once
  useEffect(() => void complete(), []);

  if (code !== null && error === undefined) return <Loading />;
  return (
    <>
      <h1>{t('signin.title')}</h1>
      {code === null ? <p role="alert">{t('signin.sso_refused')}</p> : <Problem error={error} />}
      <button type="button" onClick={restart}>
        {t('signin.restart')}
      </button>
    </>
  );
}
