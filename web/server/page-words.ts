import type { Locale } from './locale.ts';

/*
 * The texts of the server's own pages, except those in Markdown files. They are not in web/locales/, because those
 * catalogs are compiled for the browser, and these texts must exist without a build.
 */

/** The addresses of pages that other pages link to. */
export const pageLinks = { signIn: '/signin', signUp: '/signin?found=true' } as const;

/** The links in the footer of each page. */
export const navigation: readonly [address: string, names: Record<Locale, string>][] = [
  ['/about', { en: 'About', fr: 'À propos', de: 'Über uns', ar: 'حول', ja: '概要' }],
  ['/resources', { en: 'Resources', fr: 'Ressources', de: 'Ressourcen', ar: 'الموارد', ja: 'リソース' }],
  ['/docs/guides/', { en: 'Guides', fr: 'Guides', de: 'Anleitungen', ar: 'أدلة', ja: 'ガイド' }],
  ['/docs', { en: 'API', fr: 'API', de: 'API', ar: 'API', ja: 'API' }],
  ['/contact', { en: 'Contact', fr: 'Contact', de: 'Kontakt', ar: 'اتصل بنا', ja: 'お問い合わせ' }],
  [
    '/privacy',
    { en: 'Privacy', fr: 'Confidentialité', de: 'Datenschutz', ar: 'الخصوصية', ja: 'プライバシー' },
  ],
  ['/terms', { en: 'Terms', fr: 'Conditions', de: 'Nutzungsbedingungen', ar: 'الشروط', ja: '利用規約' }],
];

/** The links at the top of each page, apart from those to parts of the landing page. They are also in the footer. */
export const topLinks = ['/resources', '/docs/guides/'] as const;

export const signIn: Record<Locale, string> = {
  en: 'Sign in',
  fr: 'Se connecter',
  de: 'Anmelden',
  ar: 'تسجيل الدخول',
  ja: 'サインイン',
};

export const createWorkspace: Record<Locale, string> = {
  en: 'Create a workspace',
  fr: 'Créer un espace de travail',
  de: 'Arbeitsbereich erstellen',
  ar: 'إنشاء مساحة عمل',
  ja: 'ワークスペースを作成',
};

export const skipToContent: Record<Locale, string> = {
  en: 'Skip to content',
  fr: 'Aller au contenu',
  de: 'Zum Inhalt springen',
  ar: 'الانتقال إلى المحتوى',
  ja: '本文へ移動',
};

/** The names of the navigation at the top, the one at the bottom, and the choice of a language. */
export const navigationNames: Record<Locale, { top: string; bottom: string; languages: string }> = {
  en: { top: 'Main', bottom: 'More pages', languages: 'Language' },
  fr: { top: 'Principale', bottom: 'Autres pages', languages: 'Langue' },
  de: { top: 'Hauptnavigation', bottom: 'Weitere Seiten', languages: 'Sprache' },
  ar: { top: 'التنقل الرئيسي', bottom: 'صفحات أخرى', languages: 'اللغة' },
  ja: { top: 'メイン', bottom: 'そのほかのページ', languages: '言語' },
};

export const notFound: Record<Locale, string> = {
  en: 'Page not found',
  fr: 'Page introuvable',
  de: 'Seite nicht gefunden',
  ar: 'الصفحة غير موجودة',
  ja: 'ページが見つかりません',
};

/** A notice on the home page of a service that has no model connected, as HTML. */
export const stubNotice: Record<Locale, string> = {
  en: noticeOf(
    'No model is connected:',
    'OPENAI_API_KEY is not set, so the stub engine runs. It only prefixes each text with the code of its target language.',
  ),
  fr: noticeOf(
    'Aucun modèle n’est connecté :',
    'OPENAI_API_KEY n’est pas défini, et le moteur factice répond. Il répète chaque texte derrière le code de sa langue cible et ne traduit rien.',
  ),
  de: noticeOf(
    'Es ist kein Modell angeschlossen:',
    'OPENAI_API_KEY ist nicht gesetzt, und der Ersatz antwortet. Er wiederholt jeden Text hinter dem Code seiner Zielsprache und übersetzt nichts.',
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
