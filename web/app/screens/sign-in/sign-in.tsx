import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { deployment } from '../../deployment.ts';
import { LanguageChoice } from '../../frame/language-choice.tsx';
import { Logo } from '../../frame/logo.tsx';
import { useInterface, useT } from '../../i18n.tsx';
import { PasswordField } from '../../kit/field.tsx';
import { Announcer, announce } from '../../parts/announcer.tsx';
import { Loading } from '../../parts/loading.tsx';
import { fieldProblem, Problem } from '../../parts/problem.tsx';
import { type Status, StatusMark } from '../../parts/status-mark.tsx';
import { useAction } from '../../parts/use-action.ts';
import { type Arrival, currentArrival, forgetArrival, onArrival } from '../../session/arrival.ts';
import { resume, signOut } from '../../session/keeper.ts';
import { sameOriginRequest, signInRequest } from '../../session/sign-in-request.ts';
import { leaveForProvider, readDeparture } from '../../session/sso.ts';
import { useSession } from '../../session/use-session.ts';
import { type ChooseWorkspace, PasswordForm } from './password-form.tsx';
import style from './sign-in.module.css';
import { SignInSteps, useSignInSteps } from './sign-in-steps.tsx';
import { SignUpForm } from './sign-up-form.tsx';
import { Or, SsoButton } from './sso-button.tsx';
import { StepHeading } from './step-heading.tsx';
import type { SignInAnswer } from './steps.ts';

/** Segments as the editor shows them: the status, the English text, its German translation, and a wrong part of it. */
const segments: readonly [Status, string, string, string?][] = [
  ['confirmed', 'Take two tablets with water.', 'Nehmen Sie zwei Tabletten mit Wasser ein.'],
  ['critical', 'Do not take more than 8.', 'Nehmen Sie nicht mehr als ', '6'],
  ['draft', 'Store below 25 °C.', 'Unter 25 °C aufbewahren.'],
];

/** An example of the product. Wide windows show it next to the sign-in. */
function Example() {
  const t = useT();
  return (
    <aside className={style['example']}>
      <p className={style['claim']}>{t('signin.claim')}</p>
      <ul aria-hidden="true" translate="no">
        {segments.map(([status, source, target, wrong]) => (
          <li key={source}>
            <StatusMark status={status} />
            <span lang="en" dir="ltr">
              {source}
            </span>
            <span lang="de" dir="ltr">
              {target}
              {wrong && (
                <>
                  <mark>{wrong}</mark>.
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
    </aside>
  );
}

/**
 * `/signin` and `/signin/sso`: offers the available ways to sign in, and handles links with a token and the redirect
 * from the identity provider.
 */
export function SignInScreen() {
  const t = useT();
  return (
    <>
      <title>{`${t('signin.title')} · LinguaLoop`}</title>
      <div className={style['split']}>
        <div className={style['side']}>
          <header className={style['header']}>
            <a
              href={`${deployment.basePath}/`}
              className={style['brand']}
              aria-label="LinguaLoop"
              translate="no"
            >
              <Logo />
              <span>
                Lingua<b>Loop</b>
              </span>
            </a>
          </header>
          <main className={style['main']}>
            <SignIn />
          </main>
          <footer className={style['footer']}>
            <LanguageChoice />
          </footer>
        </div>
        <Example />
      </div>
      <Announcer />
    </>
  );
}

function SignIn() {
  const t = useT();
  const navigate = useNavigate();
  const { next, found, workspace } = useSearch({ strict: false });
  const arrival = useSyncExternalStore(onArrival, currentArrival);
  const session = useSession();
  const steps = useSignInSteps();
  const [isPasswordSet, setPasswordSet] = useState(false);
  const [departure] = useState(() => (arrival?.kind === 'sso' ? readDeparture() : {}));

  const { step } = steps;
  // The screen stays while it shows secrets that the service returns only once, even if another tab signs in with the
  // cookie.
  const isKeeping = step?.kind === 'api_key' || step?.kind === 'recovery_codes';
  const isDone = session.kind === 'signed_in' && !arrival && !isKeeping;
  useEffect(() => {
    if (!isDone) return;
    // This window was opened to sign in again. If the browser does not allow a script to close it, a text asks the
    // member to.
    if (departure.isAgain) window.close();
    else void navigate({ href: next ?? departure.next ?? '/app', replace: true });
  }, [isDone, next, departure, navigate]);

  const restart = () => {
    forgetArrival();
    steps.restart();
  };
  if (isDone) return departure.isAgain ? <p role="status">{t('signin.window_done')}</p> : null;
  if (step) return <SignInSteps steps={{ ...steps, step }} />;
  if (arrival?.kind === 'sso')
    return <SsoReturn arrival={arrival} onAnswer={steps.advance} restart={restart} />;
  if (arrival?.kind === 'invite')
    return <Invitation {...arrival} onAnswer={steps.advance} restart={restart} />;
  if (arrival?.kind === 'reset')
    return (
      <NewPassword
        token={arrival.token}
        onSet={() => {
          forgetArrival();
          setPasswordSet(true);
          announce(t('signin.reset_done'));
        }}
        restart={restart}
      />
    );
  if (found && deployment.emailSignUp)
    return (
      <>
        <StepHeading>{t('signin.found_title')}</StepHeading>
        <p>{t('signin.found_why')}</p>
        <SignUpForm onAnswer={steps.advance} />
        <p>
          <Link to="/signin">{t('signin.to_sign_in')}</Link>
        </p>
      </>
    );
  return (
    <>
      <StepHeading>{t('signin.title')}</StepHeading>
      {isPasswordSet && <p className="notice">{t('signin.reset_done')}</p>}
      {session.kind === 'signed_out' && session.failure && <SessionFailure {...session.failure} />}
      {deployment.passwordSignIn && <PasswordForm named={workspace} onAnswer={steps.advance} />}
      {deployment.passwordSignIn && deployment.ssoProvider && <Or />}
      {deployment.ssoProvider && <SsoButton next={next} />}
      {!deployment.passwordSignIn && !deployment.ssoProvider && <p>{t('signin.no_way')}</p>}
      {deployment.emailSignUp && (
        <p>
          {t('signin.new_here')}{' '}
          <Link to="/signin" search={{ found: true }}>
            {t('signin.found_title')}
          </Link>
        </p>
      )}
    </>
  );
}

/** Shown if the service could not be reached, so the session cookie still exists. */
function SessionFailure({ of, error }: { of: 'resume' | 'sign_out'; error: unknown }) {
  const t = useT();
  return (
    <>
      <p className="notice">{of === 'sign_out' ? t('signin.sign_out_failed') : t('signin.resume_failed')}</p>
      <Problem error={error} retry={() => void (of === 'sign_out' ? signOut() : resume())} />
    </>
  );
}

/** Sets a new password with a reset link. This ends all sessions of the member. */
function NewPassword({ token, onSet, restart }: { token: string; onSet(): void; restart(): void }) {
  const t = useT();
  const { run, error, isBusy } = useAction();
  const [password, setPassword] = useState('');
  const send = run(async () => {
    const outcome = await sameOriginRequest('/api/auth/password-reset', {
      reset_token: token,
      new_password: password,
    });
    if (!outcome.ok) throw outcome.error;
    onSet();
  });
  return (
    <form onSubmit={send}>
      <StepHeading>{t('signin.reset_title')}</StepHeading>
      <p>{t('signin.reset_why')}</p>
      {error !== undefined && <Problem error={error} />}
      <PasswordField
        label={t('signin.new_password')}
        hint={t('signin.password_hint')}
        problem={fieldProblem(error, 'new_password')}
        name="password"
        autoComplete="new-password"
        required
        minLength={12}
        autoFocus
        value={password}
        onValue={setPassword}
      />
      <button type="submit" className="primary" aria-disabled={isBusy}>
        {t('signin.reset_submit')}
      </button>
      <button type="button" className="plain" onClick={restart}>
        {t('signin.to_sign_in')}
      </button>
    </form>
  );
}

/** The response to a person who belongs to no workspace. */
interface CreationRequired {
  creation_required: true;
  email: string;
}

/** Completes a single sign-on with the parameters that the identity provider added to the URL. */
function SsoReturn({
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
  const [newcomer, setNewcomer] = useState<string>();
  const complete = run(async () => {
    if (code === null) return;
    const body = { provider: deployment.ssoProvider, code, state };
    const outcome = await signInRequest<SignInAnswer | CreationRequired>('sso/callback', body);
    if (!outcome.ok) throw outcome.error;
    if ('creation_required' in outcome.body) return setNewcomer(outcome.body.email);
    // A state can only be used once. After a workspace is selected, the browser is therefore redirected to the provider
    // again, which then does not ask for a sign-in.
    onAnswer(outcome.body, async (tenantId) => {
      await leaveForProvider({ tenantId }, readDeparture());
      return new Promise<never>(() => {});
    });
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, as a code and a state are good once
  useEffect(() => void complete(), []);

  if (newcomer !== undefined)
    return (
      <>
        <StepHeading focus>{t('signin.create_title')}</StepHeading>
        <p>{t('signin.create_why', { email: newcomer })}</p>
        {error !== undefined && <Problem error={error} />}
        <button
          type="button"
          className="primary"
          onClick={run(() => leaveForProvider({ mayCreate: true }, readDeparture()))}
        >
          {t('signin.create_submit')}
        </button>
        <button type="button" className="plain" onClick={restart}>
          {t('signin.to_sign_in')}
        </button>
      </>
    );
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

/** The response about an invite token. The service returns the same error for all invalid tokens. */
type InvitePreview =
  | { valid: false }
  | { valid: true; tenant_name: string; role: string; email: string | null; expires_at: string };

/** Shows the workspace and role of an invite link, and the ways to accept the invite. */
function Invitation({
  token,
  emailProof,
  onAnswer,
  restart,
}: {
  token: string;
  emailProof: string | null;
  onAnswer(answer: SignInAnswer): void;
  restart(): void;
}) {
  const { t, locale } = useInterface();
  const { run, error } = useAction();
  const [preview, setPreview] = useState<InvitePreview>();
  const load = run(async () => {
    const outcome = await sameOriginRequest<InvitePreview>('/api/auth/invites/preview', {
      invite_token: token,
    });
    if (!outcome.ok) throw outcome.error;
    setPreview(outcome.body);
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each link
  useEffect(() => void load(), [token]);

  const toSignIn = (
    <button type="button" className="plain" onClick={restart}>
      {t('signin.to_sign_in')}
    </button>
  );
  if (error !== undefined) return <Problem error={error} retry={() => void load()} />;
  if (!preview) return <Loading />;
  if (!preview.valid)
    return (
      <>
        <StepHeading focus>{t('signin.invite_title')}</StepHeading>
        <p>{t('signin.invite_invalid')}</p>
        {toSignIn}
      </>
    );
  const until = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
  return (
    <>
      <StepHeading focus>{t('signin.invite_title')}</StepHeading>
      <p>
        {t('signin.invite_to')} <bdi className="tenant-name">{preview.tenant_name}</bdi>
      </p>
      <p className="hint">
        {preview.role === 'global_administrator' ? t('signin.invite_admin') : t('signin.invite_member')}{' '}
        {t('signin.invite_until', { time: until.format(new Date(preview.expires_at)) })}
      </p>
      {deployment.emailSignUp && (
        <SignUpForm invitation={{ ...preview, token, emailProof }} onAnswer={onAnswer} />
      )}
      {deployment.emailSignUp && deployment.ssoProvider && <Or />}
      {deployment.ssoProvider && <SsoButton inviteToken={token} />}
      {!deployment.emailSignUp && !deployment.ssoProvider && <p>{t('signin.no_way')}</p>}
      {toSignIn}
    </>
  );
}
