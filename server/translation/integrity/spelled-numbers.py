"""Writes spelled-numbers.json from ICU's spell-out rules (CLDR), by PyICU:

    python3 spelled-numbers.py > spelled-numbers.json

By language the forms of 13 to 100, and of 1 to 10, which build others: `value form,form` divided by `;`. The
words of a form are joined by `+`; a word may go on after `*`.
"""
import json
import re

import icu

LANGUAGES = 'en es fr de it pt nl ko ar ru hi tr vi th id pl uk cs ro hu el sv da nb fi ms fa ur mr ne'.split()
SPACED_WORD = re.compile(r"[^\W\d_](?:[^\W\d_]|[\u0900-\u0903\u093a-\u094f’ʼ])*")
# The other cases of a Finnish compound are rare, and would be half of the file.
FINNISH = re.compile(r'^%spellout-(numbering|cardinal|ordinal)(-(genitive|partitive|essive|inessive|adessive))?$')

# What the rules lack: languages without rules, ordinals, other cases.
URDU = 'تیرہ چودہ پندرہ سولہ سترہ اٹھارہ انیس بیس اکیس بائیس تئیس چوبیس پچیس چھبیس ستائیس اٹھائیس انتیس تیس اکتیس'.split()
MARATHI = 'तेरा चौदा पंधरा सोळा सतरा अठरा एकोणीस वीस एकवीस बावीस तेवीस चोवीस पंचवीस सव्वीस सत्तावीस अठ्ठावीस एकोणतीस तीस एकतीस'.split()
MORE = {
    'ur': {**{n + 13: w for n, w in enumerate(URDU)}, 40: 'چالیس', 50: 'پچاس', 60: 'ساٹھ', 70: 'ستر', 90: 'نوے'},
    'mr': {**{n + 13: w for n, w in enumerate(MARATHI)}, 40: 'चाळीस', 50: 'पन्नास', 60: 'साठ', 70: 'सत्तर', 80: 'ऐंशी', 90: 'नव्वद', 100: 'शंभर'},
    'uk': {1: 'перш*', 2: 'друг*', 3: 'трет*', 4: 'четверт*', 5: 'пʼят*', 6: 'шост*', 7: 'сьом*', 8: 'восьм*', 9: 'девʼят*',
           13: 'тринадцят*', 14: 'чотирнадцят*', 15: 'пʼятнадцят*', 16: 'шістнадцят*', 17: 'сімнадцят*', 18: 'вісімнадцят*',
           19: 'девʼятнадцят*', 20: 'двадцят*', 30: 'тридцят*', 40: 'сороков*', 50: 'пʼятдесят*', 60: 'шістдесят*',
           70: 'сімдесят*', 80: 'вісімдесят*', 90: 'девʼяност*'},
    'pl': {1: 'pierwsz*', 2: 'drug*', 3: 'trzec*', 4: 'czwart*', 5: 'piąt*', 6: 'szóst*', 7: 'siódm*', 8: 'ósm*', 9: 'dziewiąt*',
           13: 'trzynast*', 14: 'czternast*', 15: 'piętnast*', 16: 'szesnast*', 17: 'siedemnast*', 18: 'osiemnast*',
           19: 'dziewiętnast*', 20: 'dwudziest*', 30: 'trzydziest*', 40: 'czterdziest*', 50: 'pięćdziesiąt*',
           60: 'sześćdziesiąt*', 70: 'siedemdziesiąt*', 80: 'osiemdziesiąt*', 90: 'dziewięćdziesiąt*'},
    'cs': {1: 'prvn*', 2: 'druh*', 3: 'třet*', 4: 'čtvrt*', 5: 'pát*', 6: 'šest*', 7: 'sedm*', 8: 'osm*', 9: 'devát*',
           20: 'dvacát*|dvacet*|dvacít*', 30: 'třicát*|třicet*|třicít*', 40: 'čtyřicát*|čtyřicet*|čtyřicít*'},
    'el': {3: 'τρίτ*', 4: 'τέταρτ*|τετάρτ*', 5: 'πέμπτ*', 6: 'έκτ*', 7: 'έβδομ*|εβδόμ*', 8: 'όγδο*|ογδό*', 9: 'ένατ*|ενάτ*',
           10: 'δέκατ*|δεκάτ*', 20: 'εικοστ*', 30: 'τριακοστ*'},
    'el1': {1: 'πρώτ*', 2: 'δεύτερ*|δευτέρ*'},
    'es': {10: 'décim*', 20: 'vigésim*', 30: 'trigésim*'},
    'pt': {10: 'décim*', 20: 'vigésim*', 30: 'trigésim*', 14: 'quatorze|catorze', 16: 'dezasseis', 17: 'dezassete', 19: 'dezanove'},
    'da': {20: 'tyvende*', 30: 'tredivte*', 50: 'halvtreds*', 60: 'tresindstyvende|tres', 70: 'halvfjerds*', 80: 'firs', 90: 'halvfems*'},
    'nb': {20: 'tyvende*|tjuende*', 30: 'trettiende*'},
    'hi': {13: 'तेरहव*', 14: 'चौदहव*', 15: 'पंद्रह*|पन्द्रह*', 16: 'सोलहव*', 17: 'सत्रहव*', 18: 'अठारहव*|अट्ठारह*', 19: 'उन्नीसव*',
           20: 'बीसव*', 21: 'इक्कीसव*', 30: 'तीसव*'},
    'ne': {15: 'पन्ध्र*'},
    'fa': {},
}
MORE['el'].update(MORE.pop('el1'))


def words(text, lang):
    text = re.sub('[\u00ad\u200c\u064b-\u065f\u0670\u0640]', '', text.lower()).replace('’', 'ʼ')
    found = SPACED_WORD.findall(text)
    if lang == 'ar':
        found = [re.sub('^ال(?=..)', '', re.sub('^و(?=..)', '', word)) for word in found]
        found = [re.sub('[أإآ]', 'ا', word) for word in found]
    if lang == 'ro':
        found = [word.translate(str.maketrans('şţ', 'șț')) for word in found]
    return found


def forms_of(lang):
    forms = {value: set() for value in range(1, 101)}
    rules = icu.RuleBasedNumberFormat(icu.URBNFRuleSetTag.SPELLOUT, icu.Locale(lang))
    known = rules.getLocale(icu.ULocDataLocaleType.ACTUAL_LOCALE).getLanguage() == lang
    names = [rules.getRuleSetName(i) for i in range(rules.getNumberOfRuleSetNames())] if known else []
    for name in names:
        if re.search('year|verbose|lenient', name) or (lang == 'fi' and not FINNISH.match(name)):
            continue
        rules.setDefaultRuleSet(name)
        for value, own in forms.items():
            text = rules.format(value)
            if lang == 'th':
                own.add(text.replace('\u200b', '').removeprefix('ที่'))
            elif not re.search(r'\d', text):
                own.add('+'.join(words(text.removeprefix('thứ '), lang)))
    for value, more in MORE.get(lang, {}).items():
        forms[value].update(more.split('|'))
    if lang == 'fa':
        for own in forms.values():
            own.update([form + end for form in own for end in ('م', 'مین')])
        # Alone and with these endings it is a word of its own, as three is.
        forms[3] = {'سه', 'سوم', 'سومین'}
        forms[30] = {'سیام', 'سیامین'}
    if lang == 'ar':
        for own in forms.values():
            own.update([re.sub('ون$', 'ين', form) for form in own])
    if lang == 'ur':
        for own in forms.values():
            own.update([form + end for form in own for end in ('واں', 'ویں')])
    if lang == 'mr':
        for own in forms.values():
            own.update([re.sub('ा$', '', form) + 'ाव*' for form in own])
    return forms


def may_go_on(form, lang):
    """Long words of languages that add endings; short ones begin other words."""
    if '*' in form or lang in ('th', 'vi', 'id', 'ms', 'en', 'fr'):
        return False
    last = form.split('+')[-1]
    return len(last) >= (2 if lang == 'ko' else 6)


def is_composed(form, value, forms):
    """Whether its words are those of a ten and of one to nine, perhaps with one between, which the reader adds up."""
    parts = form.split('+')
    ten, unit = value - value % 10, value % 10
    if len(parts) not in (2, 3) or unit == 0 or ten == 0:
        return False
    def is_of(word, whole):
        return any(word == own or (own.endswith('*') and word.startswith(own[:-1])) for own in forms[whole])

    ends = (parts[0], parts[-1])
    return any(is_of(a, ten) and is_of(b, unit) for a, b in (ends, ends[::-1]))


def without_longer(own):
    """Without the forms that a shorter one with `*` covers."""
    open_ended = [form[:-1] for form in own if form.endswith('*')]
    return sorted(form for form in own if not any(form.startswith(short) and form != short + '*' for short in open_ended))


table = {}
for lang in LANGUAGES:
    forms = forms_of(lang)
    kept = {}
    for value, own in forms.items():
        if 10 < value < 13 or (lang == 'fi' and value > 31 and value % 10):
            continue
        own = {form for form in own if not is_composed(form, value, forms)}
        if lang == 'th':
            own = own if value > 12 else set()
        elif value < 13:
            own = {form for form in own if '+' not in form}
        own = {form + '*' if value > 12 and may_go_on(form, lang) else form for form in own if form}
        if own:
            kept[value] = without_longer(own)
    table[lang] = ';'.join(f'{value} {",".join(own)}' for value, own in kept.items())
print(json.dumps(table, ensure_ascii=False, indent=2))
