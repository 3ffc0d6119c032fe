import type { LandingWords } from './words.ts';

export const de: LandingWords = {
  title: 'Übersetzungen, für die Sie einstehen können',
  eyebrow: 'Open Source: Übersetzen mit Menschen im Prozess',
  headline: 'Übersetzungen, für die Sie einstehen können.',
  lead: 'Senden Sie einen Satz oder eine ganze Datei. LinguaLoop übersetzt, prüft jedes Segment und zeigt Ihnen nur die, die ein Mensch ansehen muss.',
  readApi: 'Zur API',
  demo: 'Demo-Arbeitsbereich ansehen',
  points: [
    'Open Source unter der MIT-Lizenz',
    'Selbst betreiben: `npm ci && npm start`',
    'Arbeitet mit OpenAI-kompatiblen Modellen',
  ],
  picture:
    'Der Editor: ein Sitzungsprotokoll auf Englisch und Spanisch, Segment für Segment; eine geänderte Uhrzeit ist als kritisch markiert.',
  how: 'So funktioniert es',
  howHeading: 'Drei Dinge, die nicht durchrutschen',
  layout: {
    heading: 'Das Layout bleibt',
    text: 'Dateien in {formats} Formaten behalten ihre Form: Überschriften, Tabellen, Links und Seitenumbrüche. Arabische Seiten laufen von rechts nach links.',
    measured:
      'Gemessen: {texts} von {texts} Texten in {files} Word- und Excel-Dateien übersetzt; jede Formel, jeder Link und jeder Stil unverändert.',
  },
  checks: {
    heading: 'Prüfungen, die kein Modell überstimmt',
    text: 'Einfacher Code vergleicht Zahlen, Platzhalter, Links und Tags. Eine gute Bewertung wiegt einen geänderten Betrag nicht auf.',
    measured:
      'Gemessen: {caught} von {losses} eingebauten Fehlern in {tested} Sprachen gefunden und {alarms} Fehlalarme in {pairs} echten Übersetzungen.',
  },
  memory: {
    heading: 'Ein Translation-Memory, das Prüfer aufbauen',
    text: 'Ein freigegebener Text kommt ohne Modell wieder. Ähnliche Texte leiten das Modell als Beispiele, und Ihre Begriffe gelten ab dem ersten Auftrag.',
    measured:
      'Gemessen: Unter {segments} Segmenten dauert ein exakter Treffer {exact} ms, ein unscharfer {fuzzy} ms.',
    exact: ['Schon freigegeben', 'ohne Modell'],
    fuzzy: ['Ein Betrag weicht ab', 'ein Beispiel'],
    fresh: ['neu', 'Noch nie gesehen', 'ganz geprüft'],
  },
  formats: 'Formate',
  formatsHeading: '{formats} Dateiformate, die ihre Form behalten',
  different: {
    heading: 'Was es besonders macht',
    submissions: {
      heading: 'Kein Auftrag zählt doppelt',
      text: 'Senden Sie einen Text oder eine Datei noch einmal mit demselben Schlüssel, erhalten Sie denselben Auftrag. Seine Zeichen zählen einmal.',
    },
    gate: {
      heading: 'Eine Schranke vor jedem Ergebnis',
      text: 'Eine Übersetzung, die eine Prüfung nicht besteht, geht an einen Prüfer, bei Texten wie bei Dateien. Prüfer korrigieren einzelne Segmente, und auch ein PDF behält sein Layout.',
    },
    storage: {
      heading: 'Ein Speicher, der Ihnen gehört',
      text: 'Dateien und Datensätze liegen in einem Verzeichnis Ihres Servers oder in Ihrem Azure Data Lake. Das Modell bekommt Texte, nie Dateien.',
    },
    start: {
      heading: 'Ein Befehl für den eigenen Betrieb',
      text: '`npm ci && npm start` installiert und startet alles, auch die Datenbank. Konto und Lizenzschlüssel sind nicht nötig.',
    },
    install: 'Installation',
  },
  languages: 'Sprachen',
  languagesHeading: '{count} Sprachen, jede in ihrer Schrift',
  developers: 'Entwickler',
  developersHeading: 'Eine Anfrage. Die Antwort ist der fertige Auftrag.',
  developersText: 'Ein Text, den jemand prüfen muss, liefert `awaiting_review` und erscheint im Posteingang.',
  developersPoints: [
    'Typisiertes SDK: {sdk} kB, ohne Abhängigkeiten',
    'OpenAPI 3.1, XLIFF 2.1, TBX',
    'Idempotenzschlüssel, Cursor, lesbare Fehler',
  ],
  quickStart: 'Schnellstart',
  samples: 'Beispiel',
  comment: 'die Antwort ist der fertige Auftrag',
  prices: {
    heading: 'Preise',
    characters: '{characters} Zeichen im Monat',
    per: { day: 'pro Tag', week: 'pro Woche', month: 'pro Monat', year: 'pro Jahr' },
    topup: 'Mehr bei Bedarf: {characters} Zeichen für {price}.',
    inclusive: 'Die Preise enthalten Steuern.',
    exclusive: 'Die Preise enthalten keine Steuern.',
  },
  finalHeading: 'Weniger lesen. Mehr vertrauen.',
  finalText: 'Beginnen Sie mit einer Datei.',
  trial:
    'Beginnen Sie mit einem Text: Die ersten {characters} Zeichen sind kostenlos, {days} lang. Dateien und die API brauchen einen Tarif.',
  plan: 'Texte, Dateien und die API brauchen einen Tarif.',
  apiPlan: 'Bei diesem Dienst braucht die API einen Tarif.',
};
