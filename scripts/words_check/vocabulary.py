"""The words that docs/design/glossary.md replaces, the places where one of them is right, and how doc comments must not begin."""

ALL = {"comments", "documents", "strings", "names"}
PROSE = {"comments", "documents", "strings"}
READ = {"comments", "documents"}

# The word, how it is found, where it counts, what to write instead, and terms of the field that contain it. A space in an expression
# is any white space, a line break too.
PATTERNS = [
    ("film", r"\bfilms?\b", ALL, "movie or file; recording for one take", []),
    ("picture", r"\bpictures?\b", ALL, "frame (of video); image (a still)", [
        r"picture (?:parameter set|timing|order|structure|start code|header|delimiter|coding type|type|block)",
        r"picture[- ]in[- ]picture", r"x264 picture", r"decoded picture buffer", r"(?:coded|reference|attached|IDR|CRA|BLA|RASL|RADL) pictures?",
        r"group of pictures", r"groups of pictures"]),
    ("sound", r"\bsounds?\b", ALL, "audio; for a file without damage: intact", [
        r"sound (?:cards?|servers?|sample descriptions?|descriptions?|media)", r"(?:advanced linux|open) sound", r"config sound",
        r"subsystem-match=sound", r"sounds? like"]),
    ("key frame", r"\bkey[ -]frames?\b", ALL, "keyframe", []),
    ("group of pictures", r"\bgroups? of pictures\b", ALL, "GOP", []),
    ("anew", r"\banew\b", ALL, "again", []),
    ("whoever", r"\bwh(?:o|om|ose)ever\b", ALL, "the program, user or caller that is meant", []),
    ("somebody", r"\bsome(?:body|one)\b", ALL, "another program, the user, a caller", []),
    ("nobody", r"\bnobody\b", ALL, "no program, no user; or say who does not", []),
    ("goes on", r"\b(?:go|goes|going|gone|went) on\b", ALL, "continues, resumes", [r"(?:go|goes|going|went) on (?:the|a|an)\b"]),
    ("made whole", r"\b(?:made|make|makes|making) (?:(?:it|them|this|that|both|each|all|(?:the|a|an|its|torn|every) \w+) )?whole\b",
     PROSE, "finalizes; repairs what a crash left", []),
    ("in front of", r"\bin front of\b", PROSE, "before", []),
    ("lets go of", r"\b(?:lets?|letting) go(?: of)?\b", PROSE, "closes, releases, frees", []),
    ("to be had", r"\bto be had\b", PROSE, "available", []),
    ("way out", r"\bways? out\b", READ, "how to fix it, what to do", []),
    ("told", r"\b(?:tells|told)\b", PROSE, "reports, logs, returns", [r"tells (?:\w+ )?apart"]),
    ("stretch", r"\bstretch(?:es)?\b", ALL, "time range; chunk (of a long transcode); gap (what is missing)",
     [r"stretches to"]),
    ("so much", r"\bso (?:much|many)\b", PROSE, "the number itself: this many bytes, up to N frames", []),
    ("stands", r"\bst(?:ands?|ood) (?:in(?! for)|at|on|beside|beneath|below|behind|before|above|between|among|inside|under|there|here|where|"
     r"alone|together|nowhere|once|twice|as)\b", PROSE, "is stored in, is at, is before", []),
    ("lies", r"\b(?:lies|lie (?:in|on|at|inside|beside|behind|between|before|beneath|one|there))\b", PROSE,
     "is stored in, is at, is between", []),
]

# Where a word is right: a path (or `*`), the word or a phrase around it, and the reason.
ALLOWED = [
    ("docs/design/glossary.md", "*", "lists the words that it replaces"),
    ("scripts/words", "key frame count", "shows how a name is split"),
    ("scripts/words_check/vocabulary.py", "*", "has the words"),
    ("scripts/words_check/self_test.py", "*", "plants the words"),
    ("Sources/Service/ArchiveService/Plan/EarlierName.swift", "*", "has the keys of earlier plans, which are still read"),
    ("Tests/Service/ArchiveServiceTests/*PlanTests.swift", "*", "has the keys of earlier plans"),
    ("Tests/Programs/RecorderCommandTests/ArchiveChunksTests.swift", "*", "has the keys of earlier plans"),
    ("*", "--stretches", "the old spelling of an option"),
    ("Sources/Programs/recorder/ReencodeOptions.swift", "stretches", "the property of the old spelling of an option"),
    ("*", "key-frame-interval", "the name of an option"),
    ("*", "enable-force-key-frames", "the name of an option of SVT-AV1"),
    ("Sources/Service/RecorderControl/Control/LiveOperations.swift", "sound", "the name of a query parameter"),
    ("docs/reference/openapi.yaml", "name: sound", "the name of a query parameter"),
    ("Tests/Service/RecorderServiceTests/*", "live?sound=", "the name of a query parameter"),
    ("Tests/Programs/RecorderCommandTests/LiveTests.swift", "?sound=no", "the name of a query parameter"),
    ("Sources/Service/WebPage/*", "has picture", "a key of the page's JSON"),
    ("Sources/Service/WebPage/*", "has sound", "a key of the page's JSON"),
    ("Sources/Service/WebService/Recordings/Index*.swift", "picture", "a column of stored indexes"),
    ("Sources/Service/WebService/Recordings/Index*.swift", "sound", "a column of stored indexes"),
    ("Sources/Service/RecorderStorage/Retention/CatalogueSchema.swift", "anew", "a key in stored catalogues"),
    ("scripts/corpus", "sound.m4a", "a file of the stored corpus"),
    ("Tests/Programs/RecorderCommandTests/MovieCheckerTests.swift", "sound.m4a", "a file of the stored corpus"),
    ("Sources/Apple/AVFoundation/Constants/AVMediaCharacteristic.swift", "music-and-sound", "the value of Apple's constant"),
    ("Sources/Apple/AVFoundation/Constants/AVMediaCharacteristic.swift", "music and sound", "a name of Apple's"),
    ("Sources/Apple/AVFoundation/Constants/*", "sound engineer", "a name of Apple's"),
    ("Sources/Apple/AVFoundation/Constants/*", "auxiliary picture", "a name of Apple's"),
    ("*", "max key frame interval", "a name of Apple's"),
    ("*", "force key frame", "a name of Apple's"),
]
MOST_ALLOWED = 40

# First words of doc comments that make a reader wait for the noun. "Whether" is right for a Boolean.
OPENINGS = (
    "What Where Who Whom Whose Whoever Which When How That Those Of In On At By For From With Without Behind Before After Until Under Since As So "
    "Among Between Beside Beneath Through To Nobody Somebody").split()
LIMIT = 3.0
