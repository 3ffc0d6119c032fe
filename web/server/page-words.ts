import type { Locale } from './locale.ts';

/*
 * The texts of the server's own pages, except those in Markdown files. They are not in web/locales/, because those
 * catalogs are compiled for the browser, and these texts must exist without a build.
 */

/** The addresses of pages that other pages link to. */
export const pageLinks = { signIn: '/signin', signUp: '/signin?found=true' } as const;

/** The links in the footer of each page. */
export const navigation: readonly [address: string, names: Record<Locale, string>][] = [
  [
    '/about',
    { en: 'About', fr: 'À propos', de: 'Über uns', es: 'Acerca de', pt: 'Sobre', ar: 'حول', ja: '概要' },
  ],
  [
    '/resources',
    {
      en: 'Resources',
      fr: 'Ressources',
      de: 'Ressourcen',
      es: 'Recursos',
      pt: 'Recursos',
      ar: 'الموارد',
      ja: 'リソース',
    },
  ],
  [
    '/docs/guides/',
    { en: 'Guides', fr: 'Guides', de: 'Anleitungen', es: 'Guías', pt: 'Guias', ar: 'أدلة', ja: 'ガイド' },
  ],
  ['/docs', { en: 'API', fr: 'API', de: 'API', es: 'API', pt: 'API', ar: 'API', ja: 'API' }],
  [
    '/contact',
    {
      en: 'Contact',
      fr: 'Contact',
      de: 'Kontakt',
      es: 'Contacto',
      pt: 'Contato',
      ar: 'اتصل بنا',
      ja: 'お問い合わせ',
    },
  ],
  [
    '/privacy',
    {
      en: 'Privacy',
      fr: 'Confidentialité',
      de: 'Datenschutz',
      es: 'Privacidad',
      pt: 'Privacidade',
      ar: 'الخصوصية',
      ja: 'プライバシー',
    },
  ],
  [
    '/terms',
    {
      en: 'Terms',
      fr: 'Conditions',
      de: 'Nutzungsbedingungen',
      es: 'Condiciones',
      pt: 'Termos',
      ar: 'الشروط',
      ja: '利用規約',
    },
  ],
];

/** The links at the top of each page, apart from those to parts of the landing page. They are also in the footer. */
export const topLinks = ['/resources', '/docs/guides/'] as const;

export const signIn: Record<Locale, string> = {
  en: 'Sign in',
  fr: 'Se connecter',
  de: 'Anmelden',
  es: 'Iniciar sesión',
  pt: 'Entrar',
  ar: 'تسجيل الدخول',
  ja: 'サインイン',
};

export const createWorkspace: Record<Locale, string> = {
  en: 'Create a workspace',
  fr: 'Créer un espace de travail',
  de: 'Arbeitsbereich erstellen',
  es: 'Crear un espacio de trabajo',
  pt: 'Criar um espaço de trabalho',
  ar: 'إنشاء مساحة عمل',
  ja: 'ワークスペースを作成',
};

export const skipToContent: Record<Locale, string> = {
  en: 'Skip to content',
  fr: 'Aller au contenu',
  de: 'Zum Inhalt springen',
  es: 'Ir al contenido',
  pt: 'Ir para o conteúdo',
  ar: 'الانتقال إلى المحتوى',
  ja: '本文へ移動',
};

/** The names of the navigation at the top, the one at the bottom, and the choice of a language. */
export const navigationNames: Record<Locale, { top: string; bottom: string; languages: string }> = {
  en: { top: 'Main', bottom: 'More pages', languages: 'Language' },
  fr: { top: 'Principale', bottom: 'Autres pages', languages: 'Langue' },
  de: { top: 'Hauptnavigation', bottom: 'Weitere Seiten', languages: 'Sprache' },
  es: { top: 'Principal', bottom: 'Más páginas', languages: 'Idioma' },
  pt: { top: 'Principal', bottom: 'Mais páginas', languages: 'Idioma' },
  ar: { top: 'التنقل الرئيسي', bottom: 'صفحات أخرى', languages: 'اللغة' },
  ja: { top: 'メイン', bottom: 'そのほかのページ', languages: '言語' },
};

export const notFound: Record<Locale, string> = {
  en: 'Page not found',
  fr: 'Page introuvable',
  de: 'Seite nicht gefunden',
  es: 'Página no encontrada',
  pt: 'Página não encontrada',
  ar: 'الصفحة غير موجودة',
  ja: 'ページが見つかりません',
};

/** The texts of the page for an error, by its cause. */
interface ErrorWords {
  title: string;
  /** Something refused the request, such as a form of another site. */
  foreign: string;
  tooMany: string;
  ours: string;
  other: string;
}

export const errorWords: Record<Locale, ErrorWords> = {
  en: {
    title: 'This did not work',
    foreign: 'The request is not allowed. Open the page of this service again, and try again there.',
    tooMany: 'There were too many requests. Try again in a few minutes.',
    ours: 'The service has a problem. Try again in a few minutes.',
    other: 'The request is not valid. Go back, and try again.',
  },
  fr: {
    title: 'Cela n’a pas fonctionné',
    foreign: 'La requête n’est pas autorisée. Rouvrez la page de ce service, puis réessayez.',
    tooMany: 'Il y a eu trop de requêtes. Réessayez dans quelques minutes.',
    ours: 'Le service rencontre un problème. Réessayez dans quelques minutes.',
    other: 'La requête n’est pas valide. Revenez en arrière, puis réessayez.',
  },
  de: {
    title: 'Das hat nicht geklappt',
    foreign:
      'Die Anfrage ist nicht erlaubt. Öffnen Sie die Seite dieses Dienstes noch einmal, und versuchen Sie es dort erneut.',
    tooMany: 'Es gab zu viele Anfragen. Versuchen Sie es in einigen Minuten erneut.',
    ours: 'Der Dienst hat ein Problem. Versuchen Sie es in einigen Minuten erneut.',
    other: 'Die Anfrage ist nicht gültig. Gehen Sie zurück, und versuchen Sie es erneut.',
  },
  es: {
    title: 'No ha funcionado',
    foreign: 'La solicitud no está permitida. Vuelve a abrir la página de este servicio e inténtalo allí.',
    tooMany: 'Ha habido demasiadas solicitudes. Inténtalo de nuevo dentro de unos minutos.',
    ours: 'El servicio tiene un problema. Inténtalo de nuevo dentro de unos minutos.',
    other: 'La solicitud no es válida. Vuelve atrás e inténtalo de nuevo.',
  },
  pt: {
    title: 'Não funcionou',
    foreign: 'A solicitação não é permitida. Abra a página deste serviço novamente e tente por lá.',
    tooMany: 'Houve solicitações demais. Tente novamente em alguns minutos.',
    ours: 'O serviço está com um problema. Tente novamente em alguns minutos.',
    other: 'A solicitação não é válida. Volte e tente novamente.',
  },
  ar: {
    title: 'لم ينجح ذلك',
    foreign: 'الطلب غير مسموح به. افتح صفحة هذه الخدمة مرة أخرى وحاول من هناك.',
    tooMany: 'ورد عدد كبير جدًا من الطلبات. حاول مجددًا بعد بضع دقائق.',
    ours: 'تواجه الخدمة مشكلة. حاول مجددًا بعد بضع دقائق.',
    other: 'الطلب غير صالح. ارجع إلى الخلف وحاول مجددًا.',
  },
  ja: {
    title: '処理できませんでした',
    foreign: 'このリクエストは許可されていません。このサービスのページを開き直して、もう一度お試しください。',
    tooMany: 'リクエストが多すぎます。数分後にもう一度お試しください。',
    ours: 'サービスに問題が発生しています。数分後にもう一度お試しください。',
    other: 'リクエストが正しくありません。前のページに戻って、もう一度お試しください。',
  },
};

/** A notice on the home page of a service that has no model connected, as HTML. */
export const stubNotice: Record<Locale, string> = {
  en: noticeOf(
    'No model is connected:',
    'OPENAI_API_KEY is not set, so the stub engine runs. It only prefixes each text with the code of its target language.',
  ),
  fr: noticeOf(
    'Aucun modèle n’est connecté :',
    'OPENAI_API_KEY n’est pas défini, et le moteur factice est actif. Il place seulement le code de la langue cible devant chaque texte.',
  ),
  de: noticeOf(
    'Es ist kein Modell angeschlossen:',
    'OPENAI_API_KEY ist nicht gesetzt, daher ist die Ersatz-Engine aktiv. Sie setzt vor jeden Text nur den Code seiner Zielsprache.',
  ),
  es: noticeOf(
    'No hay ningún modelo conectado:',
    'OPENAI_API_KEY no está definida, por lo que funciona el motor de prueba. Solo antepone a cada texto el código de su idioma de destino.',
  ),
  pt: noticeOf(
    'Nenhum modelo está conectado:',
    'OPENAI_API_KEY não está definida, por isso o motor de teste está em uso. Ele apenas coloca antes de cada texto o código do idioma de destino.',
  ),
  ar: noticeOf(
    'لا يوجد نموذج موصول:',
    'لم يُضبط OPENAI_API_KEY، ويجيب المحرك البديل: يكرر كل نص بعد رمز لغته الهدف ولا يترجم شيئًا.',
  ),
  ja: noticeOf(
    'モデルが接続されていません。',
    'OPENAI_API_KEY が設定されていないため、代わりのエンジンが応答します。各テキストを翻訳先の言語コードの後に繰り返すだけで、翻訳はしません。',
  ),
};

function noticeOf(strong: string, rest: string): string {
  return `<p role="note"><strong>${strong}</strong> ${rest}</p>`;
}
