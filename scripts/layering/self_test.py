"""Planted violations, each of which has to be found, and what only looks like one."""

import sys

from .swift import File

PLANTED = {
    "RealTime/Planted.swift": "import MediaTypes\n",
    "AssetIO/Reading/Planted.swift": "import Glibc\npackage import AVFoundation\n",
    "WebService/Device.swift": "import Capture\n",
    "Capture/Planted.swift": "internal import CX264\n",
    # Of Finishing, which uses Atoms.
    "MovieFile/Atoms/Planted.swift":
        "// MovieFinisher\nlet planted = \"MovieFinisher \\(0)\" + a.MovieFinisher\n"
        "let other = \"\\(MovieFinisher.self)\"\n",
    "MovieFile/Storage/Planted.swift": "enum Planted { struct MovieFinisher {}; let a: MovieFinisher }\n",
    "MovieFile/Finishing/Planted.swift": "let planted: DiskFile\n",
    "MovieFile/Header/Planted.swift": "// public\npackage import MediaTypes\npublic func planted() {}\n",
    "AssetIO/Planted.swift": "public func planted() {}\n",
    "MovieFile/Planted.swift": "import Glibc\nfunc planted(_ path: String) { unlink(path) }\n",
    "Signing/Planted.swift": "import FileSystem\nfunc planted(_ a: String) { _ = Glibc.rename(a, a) }\n",
    "Demuxing/Planted.swift":
        "import FileSystem\nfunc planted(_ a: String) { unlink(a); open(a) }\nfunc unlink(_ path: String) {}\n",
    # Folders that FOLDERS does not name, in a module with others and in one without.
    "ArchiveService/Plan/Planted/Planted.swift": "",
    "Demuxing/Planted/Planted.swift": "",
    # A file in no folder is below them all.
    "WebService/Planted.swift": "let planted: PlantedClip\n",
    "WebService/Clips/Planted.swift": "struct PlantedClip {}\n",
    # Two folders on one floor that use each other, and one above both.
    "WebService/Accounts/Planted.swift": "struct PlantedAccount { let planted: PlantedWatch }\n",
    "WebService/Watching/Planted.swift": "struct PlantedWatch { let planted: PlantedAccount }\n",
    "WebService/Server/Planted.swift": "struct PlantedServer { let planted: PlantedAccount }\n",
    # A circle through three folders.
    "Signing/Keys/Planted.swift": "struct PlantedKey { let planted: PlantedCut }\n",
    "Signing/Cutting/Planted.swift": "struct PlantedCut { let planted: PlantedHead }\n",
    "Signing/Heads/Planted.swift": "struct PlantedHead { let planted: PlantedKey }\n",
    # An extension that only nests a type uses nothing, and the type is the extension's; any other extension is a use.
    "ArchiveService/Planning/Planted.swift":
        "extension PlantedEngine {\n    struct Planted { var a = 0 }\n}\nlet planted: PlantedEngine.Planted\n"
        "extension PlantedEngine { func planted() {} }\n",
    "ArchiveService/Engines/Planted.swift": "struct PlantedEngine {}\n",
}

EXPECTED = [
    "Sources/Media/RealTime/Planted.swift:1: RealTime imports",
    "Sources/Media/RealTime/Planted.swift:1: Package.swift",
    "Sources/Library/AssetIO/Reading/Planted.swift:2: AssetIO imports",
    "Sources/Library/AssetIO/Reading/Planted.swift:2: Package.swift",
    "Sources/Service/WebService/Device.swift:1: Capture is imported",
    "Sources/Service/WebService/Device.swift:1: Package.swift",
    "Sources/Library/Capture/Planted.swift:1: CX264",
    "Sources/Library/Capture/Planted.swift:1: Package.swift",
    "Sources/Media/MovieFile/Atoms/Planted.swift:3: Atoms uses",
    "Sources/Media/MovieFile:1: folders use each other in a circle: Atoms -> Finishing (MovieFinisher) -> Atoms (",
    "Sources/Media/MovieFile/Header/Planted.swift:3: `public`",
    "Sources/Media/MovieFile/Planted.swift:2: pass text paths",
    "Sources/Media/Signing/Planted.swift:2: pass text paths",
    "Sources/Service/ArchiveService/Plan/Planted/Planted.swift:1: ArchiveService has a folder Plan/Planted, which",
    "Sources/Media/Demuxing/Planted/Planted.swift:1: Demuxing has a folder Planted, which",
    "Sources/Service/WebService/Planted.swift:1: a file in no folder uses PlantedClip of Clips",
    "Sources/Service/WebService/Accounts/Planted.swift:1: Accounts uses PlantedWatch of Watching",
    "Sources/Service/WebService/Watching/Planted.swift:1: Watching uses PlantedAccount of Accounts",
    "Sources/Service/WebService:1: folders use each other in a circle: "
    "Accounts -> Watching (PlantedWatch) -> Accounts (PlantedAccount)",
    "Sources/Media/Signing/Keys/Planted.swift:1: Keys uses PlantedCut of Cutting",
    "Sources/Media/Signing:1: folders use each other in a circle: "
    "Keys -> Cutting (PlantedCut) -> Heads (",
    "Sources/Service/ArchiveService/Planning/Planted.swift:5: Planning uses PlantedEngine of Engines",
]


def run(check, files):
    before = set(check(files))
    places = {file.module: "/".join(file.path.split("/")[:2]) for file in files}
    planted = [File(f"{places[path.split('/')[0]]}/{path}", text) for path, text in PLANTED.items()]
    found = [text for text in check(files + planted) if text not in before]
    wrong = [text for text in EXPECTED if sum(line.startswith(text) for line in found) != 1]
    extra = [line for line in found if not any(line.startswith(text) for text in EXPECTED)]
    for text in wrong:
        print(f"layers: violation not found: {text}", file=sys.stderr)
    for line in extra:
        print(f"layers: not a violation: {line}", file=sys.stderr)
    return 1 if wrong or extra else 0
