/** Prompts and replies as people and agents write them, by script; the same in every run. */

const SCRIPTS = /** @type {const} */ (['english', 'korean', 'code', 'japanese', 'korean', 'chinese', 'english']);
const VOCABULARY = 6_000;
const SHORTEST = 300;
const LONGEST = 3_000;

const LATIN = 'ka re mo ti lu son ver dal pro in ex qua zen fir ob ster ment al ion er che pa ro vi no'.split(' ');
const FREQUENT_HANGUL =
  '가각간거고공과구그기나내니다대도동라로리마만모무문미바보부비사상서성세소수스시실아안어여오용우원으은을음의이인일입있자장재저전정제조주지진차처체추치크터토트파표프하한해행현호화확환회';
const COMMON = {
  english:
    'the of and to in a is that for it as was with be by on not this are or from session window test file error'.split(
      ' ',
    ),
  korean: '검색 화면 오류 수정 테스트 세션 파일 결과 확인 서버'.split(' '),
  japanese: '検索 結果 画面 修正 確認 する します ください から まで'.split(' '),
  chinese: '的 了 是 在 我们 搜索 文件 会话 测试 结果'.split(' '),
  code: 'const await function return if => { } ( ) ; === null'.split(' '),
};
const ENDINGS = ['을', '를', '이', '가', '은', '는', '에서', '으로', '해줘', '합니다', '했습니다', ''];

/** @param {number} seed */
export function createRandom(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/**
 * Gives the text of each number.
 * @param {number} seed
 */
export function createTexts(seed) {
  const random = createRandom(seed);
  const below = (/** @type {number} */ limit) => Math.floor(random() * limit);
  const joined = (/** @type {number} */ from, /** @type {number} */ to, /** @type {() => string} */ part) =>
    Array.from({ length: from + below(to - from + 1) }, part).join('');
  const hangul = () =>
    random() < 0.8
      ? FREQUENT_HANGUL.charAt(below(FREQUENT_HANGUL.length))
      : String.fromCharCode(0xac00 + below(11_172));
  // The frequent characters of the block, and the rest of it, as in a newspaper.
  const han = (/** @type {number} */ all) => String.fromCharCode(0x4e00 + Math.floor(random() ** 2 * all));
  const kana = () => String.fromCharCode(0x3042 + below(82));
  const syllable = () => LATIN[below(LATIN.length)] ?? '';
  const camel = () => {
    const [first = '', ...rest] = Array.from({ length: 2 + below(3) }, syllable);
    return first + rest.map((each) => each.charAt(0).toUpperCase() + each.slice(1)).join('');
  };
  const makers = {
    english: () => joined(1, 4, syllable),
    korean: () => joined(2, 4, hangul),
    japanese: () => (random() < 0.5 ? joined(2, 3, () => han(3_000)) : joined(1, 4, kana)),
    chinese: () => joined(1, 3, () => han(3_500)),
    code: camel,
  };
  const vocabulary = Object.fromEntries(
    Object.entries(makers).map(([script, make]) => [
      script,
      [...COMMON[/** @type {keyof typeof COMMON} */ (script)], ...Array.from({ length: VOCABULARY }, make)],
    ]),
  );
  /** The n-th word is about as frequent as 1/n. */
  const word = (/** @type {keyof typeof COMMON} */ script) => {
    const words = vocabulary[script] ?? [];
    const drawn = words[Math.floor(words.length ** random()) - 1] ?? '';
    return script === 'korean' ? drawn + (ENDINGS[below(ENDINGS.length)] ?? '') : drawn;
  };
  return (/** @type {number} */ number) => {
    const main = SCRIPTS[number % SCRIPTS.length] ?? 'english';
    const length = SHORTEST + Math.floor((LONGEST - SHORTEST) * random() ** 2.5);
    const isSpaced = main !== 'japanese' && main !== 'chinese';
    let text = '';
    while (text.length < length) {
      const script = random() < 0.1 ? (random() < 0.5 ? 'code' : 'english') : main;
      text += word(script) + (isSpaced ? (random() < 0.08 ? '.\n' : ' ') : random() < 0.12 ? '、' : '');
    }
    return text;
  };
}
