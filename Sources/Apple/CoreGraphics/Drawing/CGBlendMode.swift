/// The way in which drawn colors are combined with the colors of the bitmap.
///
/// S is the drawn color, and D is the color in the bitmap. Both are premultiplied by their opacities, Sa and Da. R is
/// the result. The first sixteen modes are defined in the PDF specification.
public enum CGBlendMode: Int32, Sendable {
    case normal = 0
    case multiply = 1
    case screen = 2
    case overlay = 3
    case darken = 4
    case lighten = 5
    case colorDodge = 6
    case colorBurn = 7
    case softLight = 8
    case hardLight = 9
    case difference = 10
    case exclusion = 11
    case hue = 12
    case saturation = 13
    case color = 14
    case luminosity = 15
    /// R = 0
    case clear = 16
    /// R = S
    case copy = 17
    /// R = S·Da
    case sourceIn = 18
    /// R = S·(1 − Da)
    case sourceOut = 19
    /// R = S·Da + D·(1 − Sa)
    case sourceAtop = 20
    /// R = S·(1 − Da) + D
    case destinationOver = 21
    /// R = D·Sa
    case destinationIn = 22
    /// R = D·(1 − Sa)
    case destinationOut = 23
    /// R = S·(1 − Da) + D·Sa
    case destinationAtop = 24
    /// R = S·(1 − Da) + D·(1 − Sa)
    case xor = 25
    /// R = min(1, S + D)
    case plusLighter = 27

    /// The equivalent cairo_operator_t.
    var cairoOperator: Int32 {
        switch self {
        case .normal: 2
        case .multiply: 14
        case .screen: 15
        case .overlay: 16
        case .darken: 17
        case .lighten: 18
        case .colorDodge: 19
        case .colorBurn: 20
        case .softLight: 22
        case .hardLight: 21
        case .difference: 23
        case .exclusion: 24
        case .hue: 25
        case .saturation: 26
        case .color: 27
        case .luminosity: 28
        case .clear: Cairo.operatorClear
        case .copy: 1
        case .sourceIn: 3
        case .sourceOut: 4
        case .sourceAtop: 5
        case .destinationOver: 7
        case .destinationIn: 8
        case .destinationOut: 9
        case .destinationAtop: 10
        case .xor: 11
        case .plusLighter: 12
        }
    }

    /// True for the modes with which Cairo also changes pixels outside of a drawn shape.
    var changesOutside: Bool {
        switch self {
        case .sourceIn, .sourceOut, .destinationIn, .destinationAtop: true
        default: false
        }
    }
}
