/// The parts of a user interface that have a font.
public enum CTFontUIFontType: UInt32, Sendable {
    case none = 0xFFFF_FFFF
    case user = 0
    case userFixedPitch = 1
    case system = 2
    case emphasizedSystem = 3
    case smallSystem = 4
    case smallEmphasizedSystem = 5
    case miniSystem = 6
    case miniEmphasizedSystem = 7
    case views = 8
    case application = 9
    case label = 10
    case menuTitle = 11
    case menuItem = 12
    case menuItemMark = 13
    case menuItemCmdKey = 14
    case windowTitle = 15
    case pushButton = 16
    case utilityWindowTitle = 17
    case alertHeader = 18
    case systemDetail = 19
    case emphasizedSystemDetail = 20
    case toolbar = 21
    case smallToolbar = 22
    case message = 23
    case palette = 24
    case toolTip = 25
    case controlContent = 26

    var name: FontName {
        switch self {
        case .userFixedPitch: FontName(families: [FontName.monospace])
        case .emphasizedSystem, .smallEmphasizedSystem, .miniEmphasizedSystem, .emphasizedSystemDetail, .alertHeader,
            .windowTitle:
            FontName(families: [FontName.sansSerif], weight: 700)
        default: FontName(families: [FontName.sansSerif])
        }
    }

    /// The size that the font has on a Mac.
    var size: Double {
        switch self {
        case .user, .views, .controlContent: 12
        case .userFixedPitch, .smallSystem, .smallEmphasizedSystem, .utilityWindowTitle, .palette, .toolTip: 11
        case .miniSystem, .miniEmphasizedSystem, .systemDetail, .emphasizedSystemDetail: 9
        case .label, .smallToolbar: 10
        default: 13
        }
    }
}

/// The properties of a font's style.
public struct CTFontSymbolicTraits: OptionSet, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    public static let traitItalic = CTFontSymbolicTraits(rawValue: 1 << 0)
    public static let traitBold = CTFontSymbolicTraits(rawValue: 1 << 1)
    public static let traitCondensed = CTFontSymbolicTraits(rawValue: 1 << 6)
    public static let traitMonoSpace = CTFontSymbolicTraits(rawValue: 1 << 10)
    public static let italicTrait = traitItalic
    public static let boldTrait = traitBold
    public static let condensedTrait = traitCondensed
    public static let monoSpaceTrait = traitMonoSpace
}
